'use strict';
// digits.js [MODEL]: classifies a drawn 1, and prints each digit's score, as examples/c does.
const { InferenceSession, Tensor } = require('inlay-onnx');

async function main(model) {
    const session = await InferenceSession.create(model, { executionProviders: ['cpu', 'reference'] });
    const image = new Tensor(new Float32Array(64), [1, 1, 8, 8]);
    for (let row = 1; row < 7; ++row) image.data[row * 8 + 4] = 1;

    const { scores } = await session.run({ image });
    scores.data.forEach((score, digit) => console.log(`${digit}: ${asInC(score)}`));
    console.log(`it is a ${scores.data.indexOf(Math.max(...scores.data))}`);

    const { nodes } = await session.plan();
    for (const { name, provider } of nodes) console.log(`${name} runs on ${provider}`);
    await session.release();
}

/** As printf() writes it with %e: two digits of the exponent. */
const asInC = (number) => number.toExponential(6).replace(/e([+-])(\d)$/, 'e$10$2');

main(process.argv[2] ?? 'digits.onnx');
