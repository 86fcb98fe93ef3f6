/** Options of single providers, by ONNX Runtime's names. */
package ai.inlay.providers;
