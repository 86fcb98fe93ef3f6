// digits.js ADDON MODEL: the digits model by node.js, over the addon of addon.c.
const [addon, model] = process.argv.slice(2);
const { classify } = require(addon);
const image = new Float32Array(64);
for (let row = 1; row < 7; ++row) image[row * 8 + 4] = 1;
try {
    classify('/no/such/model.onnx', image);
    throw new Error('a file that there is not was loaded');
} catch (error) {
    if (error.code !== 'not_found' || !error.message.includes('/no/such/model.onnx')) throw error;
}
classify(model, image).forEach((score, digit) => console.log(`${digit}: ${score.toExponential(6).replace(/e([+-])(\d)$/, 'e$10$2')}`));
