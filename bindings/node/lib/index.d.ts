// Types of inlay-onnx. The names are those of onnxruntime-node, with Inlay's own added.

export declare namespace Tensor {
    interface DataTypeMap {
        float32: Float32Array;
        uint8: Uint8Array;
        int8: Int8Array;
        uint16: Uint16Array;
        int16: Int16Array;
        int32: Int32Array;
        int64: BigInt64Array;
        string: string[];
        bool: Uint8Array;
        float16: Uint16Array;
        float64: Float64Array;
        uint32: Uint32Array;
        uint64: BigUint64Array;
        bfloat16: Uint16Array;
        /** Two numbers for each element: the real part, then the imaginary one. */
        complex64: Float32Array;
        complex128: Float64Array;
        float8e4m3fn: Uint8Array;
        float8e4m3fnuz: Uint8Array;
        float8e5m2: Uint8Array;
        float8e5m2fnuz: Uint8Array;
        float8e8m0: Uint8Array;
        /** Types of less than a byte are packed, the first element in the lowest bits. */
        uint4: Uint8Array;
        int4: Int8Array;
        float4e2m1: Uint8Array;
        uint2: Uint8Array;
        int2: Int8Array;
    }
    type Type = keyof DataTypeMap;
    type DataType = DataTypeMap[Type];
    type DataLocation = 'none' | 'cpu';
}

export interface TypedTensor<T extends Tensor.Type> {
    readonly type: T;
    readonly dims: readonly number[];
    readonly size: number;
    readonly data: Tensor.DataTypeMap[T];
    readonly location: Tensor.DataLocation;
    getData(): Promise<Tensor.DataTypeMap[T]>;
    dispose(): void;
    reshape(dims: readonly number[]): TypedTensor<T>;
}
export interface Tensor extends TypedTensor<Tensor.Type> {}
export interface TensorConstructor {
    new (type: 'string', data: readonly string[], dims?: readonly number[]): TypedTensor<'string'>;
    new (type: 'bool', data: Uint8Array | readonly boolean[], dims?: readonly number[]): TypedTensor<'bool'>;
    new <T extends 'int64' | 'uint64'>(
        type: T, data: Tensor.DataTypeMap[T] | readonly bigint[] | readonly number[], dims?: readonly number[]): TypedTensor<T>;
    new <T extends Exclude<Tensor.Type, 'string' | 'bool' | 'int64' | 'uint64'>>(
        type: T, data: Tensor.DataTypeMap[T] | readonly number[], dims?: readonly number[]): TypedTensor<T>;
    new (data: Float32Array, dims?: readonly number[]): TypedTensor<'float32'>;
    new (data: Float64Array, dims?: readonly number[]): TypedTensor<'float64'>;
    new (data: Int8Array, dims?: readonly number[]): TypedTensor<'int8'>;
    new (data: Uint8Array | Uint8ClampedArray, dims?: readonly number[]): TypedTensor<'uint8'>;
    new (data: Int16Array, dims?: readonly number[]): TypedTensor<'int16'>;
    new (data: Uint16Array, dims?: readonly number[]): TypedTensor<'uint16'>;
    new (data: Int32Array, dims?: readonly number[]): TypedTensor<'int32'>;
    new (data: Uint32Array, dims?: readonly number[]): TypedTensor<'uint32'>;
    new (data: BigInt64Array, dims?: readonly number[]): TypedTensor<'int64'>;
    new (data: BigUint64Array, dims?: readonly number[]): TypedTensor<'uint64'>;
    new (data: readonly string[], dims?: readonly number[]): TypedTensor<'string'>;
    new (data: readonly boolean[], dims?: readonly number[]): TypedTensor<'bool'>;
    new <T extends Tensor.Type>(type: T, data: Tensor.DataTypeMap[T], dims?: readonly number[]): TypedTensor<T>;
}
export declare const Tensor: TensorConstructor;

/** A tensor; an array for a sequence; a Map, whose scalars are plain; null for an optional that holds nothing. */
export type OnnxValue = Tensor | OnnxValue[] | OnnxMap | null;
export type OnnxMap = Map<bigint | string, OnnxValue | number | bigint | string | boolean>;

/** The AbortSignal of node and browsers. */
export interface AbortSignalLike {
    readonly aborted: boolean;
    readonly reason?: unknown;
    addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
    removeEventListener(type: 'abort', listener: () => void): void;
}
export interface UrlLike {
    readonly href: string;
    readonly protocol: string;
}

export declare namespace InferenceSession {
    type FeedsType = { readonly [name: string]: OnnxValue | number | bigint | string | boolean };
    type FetchesType = readonly string[] | { readonly [name: string]: Tensor | null };
    type ReturnType = { readonly [name: string]: OnnxValue };
    type Shapes = { readonly [input: string]: readonly number[] };

    type OptionValue = string | number | boolean | bigint | undefined;
    /** A provider of the build by its name, ONNX Runtime's or a short one, with options by their names. */
    interface ExecutionProviderOption {
        readonly name: string;
        readonly [option: string]: OptionValue;
    }
    /** The provider of a shared library. */
    interface PluginOption {
        readonly plugin: string;
        readonly [option: string]: OptionValue;
    }
    type ExecutionProviderConfig = string | ExecutionProviderOption | PluginOption | Provider;

    interface ExternalDataFile {
        /** As the model names it. */
        path: string;
        /** A file's path, or what is in the file. */
        data: string | Uint8Array | ArrayBuffer;
    }
    type Stage = 'load' | 'passes' | 'partition' | 'plan' | 'pack';

    interface SessionOptions {
        executionProviders?: readonly ExecutionProviderConfig[];
        intraOpNumThreads?: number;
        interOpNumThreads?: 0 | 1;
        graphOptimizationLevel?: 'disabled' | 'extended' | 'layout' | 'all';
        enableCpuMemArena?: true;
        enableMemPattern?: true;
        executionMode?: 'sequential';
        enableProfiling?: false;
        enableGraphCapture?: false;
        logId?: string;
        logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
        logVerbosityLevel?: 0;
        freeDimensionOverrides?: { readonly [dimension: string]: number };
        preferredOutputLocation?: 'cpu' | { readonly [output: string]: 'cpu' };
        externalData?: readonly (string | ExternalDataFile)[];
        extra?: Record<string, unknown>;

        /** What happens to a node that the first provider refuses; a list: the operators that may leave it. */
        fallback?: 'implicit_cpu' | 'never' | 'any' | readonly string[];
        partition?: 'order' | 'cost';
        plans?: number;
        planOnly?: boolean;
        contexts?: 'recompile' | 'refuse';
        determinism?: 'machine' | 'portable';
        optimize?: boolean;
        without?: readonly string[];
        /** Where a model from memory may read files of external data. */
        folder?: string;
        limits?: { readonly [limit: string]: number | bigint | boolean };
        /** false ends the loading, and so does what it throws. */
        progress?: (stage: Stage, count: number, total: number) => unknown;
        log?: (severity: number, text: string) => void;
        signal?: AbortSignalLike;
    }
    interface RunOptions {
        signal?: AbortSignalLike;
        /** Milliseconds. */
        timeout?: number;
        terminate?: boolean;
        cache?: KvCache;
        extra?: Record<string, never>;
    }

    interface ValueMetadata {
        readonly name: string;
        readonly isTensor: boolean;
        /** As ONNX writes it: "seq(tensor(float))". */
        readonly onnxType: string;
        /** Of tensors. */
        readonly type?: Tensor.Type;
        /** Numbers, and names where the model leaves a size open; undefined: the model does not say how many. */
        readonly shape?: readonly (number | string)[];
    }
    interface Provider {
        readonly name: string;
        readonly options: { readonly [option: string]: string };
        readonly status: 'production' | 'preview' | 'deprecated' | 'community' | string;
        readonly checkedOn: 'device' | 'simulator' | 'library' | 'own stand-in' | string;
    }
    /** JSON of the schemas inlay.plan, inlay.memory and inlay.profile. */
    type Report = { readonly [key: string]: any };
}

export interface InferenceSession {
    readonly inputNames: readonly string[];
    readonly outputNames: readonly string[];
    readonly inputMetadata: readonly InferenceSession.ValueMetadata[];
    readonly outputMetadata: readonly InferenceSession.ValueMetadata[];
    readonly providers: readonly InferenceSession.Provider[];
    run(feeds: InferenceSession.FeedsType, options?: InferenceSession.RunOptions): Promise<InferenceSession.ReturnType>;
    run(feeds: InferenceSession.FeedsType, fetches: InferenceSession.FetchesType,
        options?: InferenceSession.RunOptions): Promise<InferenceSession.ReturnType>;
    plan(shapes?: InferenceSession.Shapes): Promise<InferenceSession.Report>;
    memory(shapes?: InferenceSession.Shapes): Promise<InferenceSession.Report>;
    releaseMemory(): Promise<void>;
    bind(shapes?: InferenceSession.Shapes): Promise<Binding>;
    makeCache(rows: number): Promise<KvCache>;
    setProviders(providers: readonly InferenceSession.ExecutionProviderConfig[]): Promise<void>;
    metadata(key: string): string | undefined;
    release(): Promise<void>;
    /** Not supported: they throw. */
    startProfiling(): never;
    endProfiling(): never;
}
export interface InferenceSessionFactory {
    create(model: string | UrlLike | Uint8Array, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
    create(model: ArrayBufferLike, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
    create(model: ArrayBufferLike, byteOffset: number, byteLength?: number,
        options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
}
export declare const InferenceSession: InferenceSessionFactory;

export interface Binding {
    input(name: string): Tensor;
    output(name: string): Tensor;
    setInput(name: string, tensor: Tensor): void;
    setOutput(name: string, tensor: Tensor): void;
    setOutputMemory(name: string, memory: string): void;
    run(options?: InferenceSession.RunOptions): Promise<void>;
    runSync(options?: { timeout?: number }): void;
    executed(provider: string): number;
    profile(runs?: number, options?: InferenceSession.RunOptions): Promise<InferenceSession.Report>;
    release(): Promise<void>;
}
export declare const Binding: { readonly prototype: Binding };

export interface KvCache {
    readonly rows: number;
    readonly capacity: number;
    readonly pairs: readonly { past: string; present: string; in_place: boolean; why: string }[];
    keep(rows: number): void;
    assign(pasts: { readonly [input: string]: Tensor }): void;
    past(input: string): OnnxValue;
    release(): Promise<void>;
}
export declare const KvCache: { readonly prototype: KvCache };

export declare class InlayError extends Error {
    constructor(message: string, fields?: Partial<Pick<InlayError,
        'code' | 'node' | 'operator' | 'operatorVersion' | 'provider' | 'shapes' | 'hint'>> & { cause?: unknown });
    /** 'shape_mismatch', 'not_found' and others: docs/reference/errors.md has all. */
    readonly code: string;
    readonly node: string;
    readonly operator: string;
    readonly operatorVersion: number;
    readonly provider: string;
    readonly shapes: string;
    readonly hint: string;
    /** Of an AbortSignal: its reason. */
    readonly cause?: unknown;
}

export interface Env {
    /** Of sessions that are created without logSeverityLevel. */
    logLevel: 'verbose' | 'info' | 'warning' | 'error' | 'fatal';
    debug: false;
    trace: false;
    readonly versions: { readonly common: string; readonly node: string; readonly inlay: string };
}
export declare const env: Env;

export declare function listSupportedBackends():
    readonly (InferenceSession.Provider & { readonly bundled: true })[];

export declare function toFloat16(numbers: Float32Array | readonly number[]): Uint16Array;
export declare function fromFloat16(values: Uint16Array): Float32Array;
export declare function toBfloat16(numbers: Float32Array | readonly number[]): Uint16Array;
export declare function fromBfloat16(values: Uint16Array): Float32Array;

declare const inlay: {
    readonly Binding: typeof Binding;
    readonly InferenceSession: typeof InferenceSession;
    readonly InlayError: typeof InlayError;
    readonly KvCache: typeof KvCache;
    readonly Tensor: typeof Tensor;
    readonly env: typeof env;
    readonly listSupportedBackends: typeof listSupportedBackends;
    readonly toFloat16: typeof toFloat16;
    readonly fromFloat16: typeof fromFloat16;
    readonly toBfloat16: typeof toBfloat16;
    readonly fromBfloat16: typeof fromBfloat16;
};
export default inlay;
