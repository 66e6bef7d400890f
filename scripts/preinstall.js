// npm runs this before it installs the packages: it refuses a Node that is too old for them. Such a Node
// runs this file, too, which is why it is JavaScript.

// The Node that runs npm. The one that runs this file may be the project's own, from an earlier installation.
const userAgent = process.env["npm_config_user_agent"] ?? "";
const version = /node\/v(\S+)/.exec(userAgent)?.[1] ?? process.versions.node;
const [major = 0, minor = 0] = version.split(".").map(Number);
if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22)) {
	console.error("Install Node 20.19+ or 22.12+, then run npm ci again.");
	process.exit(1);
}
