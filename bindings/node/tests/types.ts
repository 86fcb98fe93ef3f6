// Uses of the types of inlay-onnx, which tsc checks: what is wrong is marked, and would be an error if it were not.
import inlay, {
    Binding, InferenceSession, InlayError, KvCache, OnnxValue, Tensor, TypedTensor, env, listSupportedBackends, toFloat16,
} from 'inlay-onnx';

declare const signal: { aborted: boolean; addEventListener(): void; removeEventListener(): void };

export async function use(model: string): Promise<number> {
    const session: InferenceSession = await InferenceSession.create(model, {
        executionProviders: ['cpu', { name: 'openvino', device_type: 'CPU' }, { plugin: 'own.so', threads: 2 }],
        graphOptimizationLevel: 'all', intraOpNumThreads: 2, logSeverityLevel: 3, fallback: ['Softsign'],
        limits: { nodes: 10, strict: true }, externalData: [{ path: 'a', data: new Uint8Array(1) }],
        progress: (stage, count, total) => stage !== 'pack' || count < total, log: (severity, text) => { severity.toFixed(); text.trim(); },
    });
    await InferenceSession.create(new Uint8Array(1));
    await InferenceSession.create(new ArrayBuffer(8), 0, 8, {});
    const floats: TypedTensor<'float32'> = new Tensor(new Float32Array(4), [2, 2]);
    const dynamic = floats.type as Tensor.Type;
    new Tensor(dynamic, floats.data as Tensor.DataType, floats.dims);
    const longs: BigInt64Array = new Tensor('int64', [1n]).data;
    const results = await session.run({ x: floats, s: [floats], m: new Map([[5n, 0.5]]), o: null }, ['y'], { signal, timeout: 5 });
    await session.run({ x: floats }, { timeout: 5 });
    await session.run({ x: floats }, { y: null, z: floats });
    const value: OnnxValue = results.y;
    const binding: Binding = await session.bind({ x: [1, 2] });
    binding.runSync();
    const cache: KvCache = await session.makeCache(8);
    const shape: readonly (number | string)[] | undefined = session.inputMetadata[0].shape;
    const { checkedOn } = listSupportedBackends()[0];
    const error = new InlayError('a', { code: 'not_found' });
    env.logLevel = 'error';
    // @ts-expect-error: there is no such level
    env.logLevel = 'loud';
    // @ts-expect-error: options have no such name
    await InferenceSession.create(model, { intraOpThreads: 2 });
    // @ts-expect-error: elements of float32 are no texts
    new Tensor('float32', ['a']);
    // @ts-expect-error: there is no such type
    new Tensor('float', new Float32Array(1));
    // @ts-expect-error: sessions are created by create()
    new InferenceSession(model);
    return floats.size + longs.length + cache.rows + (shape?.length ?? 0) + checkedOn.length + error.code.length + toFloat16([1]).length +
        (value instanceof Map ? value.size : 0) + inlay.env.versions.inlay.length;
}
