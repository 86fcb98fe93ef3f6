/**
 * Runs ONNX models over an ordered list of execution providers, by the names of ONNX Runtime's Java package and what
 * only Inlay has. docs/reference/java.md describes it.
 */
package ai.inlay;
