// Loaded before a program: its classes register the types of the packaged plugin, by the same text.
require("../../dist/sdk/base/registration.js").registerPluginTypes();
