// The reference, with a form to create a plant. Swagger UI sends a body as typed: ids stay exact.
const dark = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyTheme);
applyTheme();

SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#reference",
	docExpansion: "full",
	defaultModelsExpandDepth: 3,
	tryItOutEnabled: true,
});
