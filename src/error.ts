/** The body of an Error. */
export type ErrorBody = {
	/** The HTTP status code that names the failure most precisely. */
	error: number;
	/** A sentence for a person, which says what to change. */
	message: string;
};
