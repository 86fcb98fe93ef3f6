"""A token that a server's callers must send: over REST, gRPC and for metrics. It needs the package mlserver."""
# mypy: allow-subclassing-any, allow-untyped-calls, no-warn-unused-ignores, disable-error-code="import-untyped,import-not-found"
from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import mlserver
import mlserver.grpc.server as grpc_server
from mlserver.grpc.interceptors import PromServerInterceptor

_OPEN_PATHS = ("/v2/health/live", "/v2/health/ready")  # for monitors of the server
_OPEN_METHODS = ("/inference.GRPCInferenceService/ServerLive", "/inference.GRPCInferenceService/ServerReady")
_REFUSED = "inlay: the request has no valid token; it is sent as `Authorization: Bearer TOKEN`"


class Token:
    """What callers must send as `Authorization: Bearer TOKEN`."""

    def __init__(self, text: str) -> None:
        self._expected = f"Bearer {text}".encode()

    def matches(self, header: bytes) -> bool:
        """Compares in constant time."""
        return hmac.compare_digest(header, self._expected)


class _RestGuard:
    """ASGI middleware."""

    def __init__(self, app: Any, token: Token) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        header = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] == "lifespan" or scope.get("path") in _OPEN_PATHS or self._token.matches(header):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": f'{{"error": "{_REFUSED}"}}'.encode()})


class _GrpcGuard(grpc.aio.ServerInterceptor):
    def __init__(self, token: Token) -> None:
        self._token = token

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], call: Any) -> Any:
        header = next((value for key, value in call.invocation_metadata if key == "authorization"), "")
        if call.method in _OPEN_METHODS or self._token.matches(header.encode()):
            return await continuation(call)

        async def refuse(request: Any, context: Any) -> None:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, _REFUSED)

        return grpc.unary_unary_rpc_method_handler(refuse)


class _GuardedGrpcServer(grpc_server.GRPCServer):
    """mlserver's, which has no interceptors, with the guard before its own."""

    def __init__(self, settings: Any, data_plane: Any, handlers: Any, token: Token) -> None:
        super().__init__(settings, data_plane, handlers)
        self._token = token

    def _create_server(self) -> Any:
        interceptors: list[Any] = [_GrpcGuard(self._token)]
        if self._settings.metrics_endpoint:
            interceptors.append(PromServerInterceptor(enable_handling_time_histogram=True))
        workers = ThreadPoolExecutor(grpc_server.DefaultGrpcWorkers)
        self._server = grpc.aio.server(workers, interceptors=interceptors, options=self._get_options())
        inference = grpc_server.InferenceServicer(self._data_plane, self._model_repository_handlers)
        repository = grpc_server.ModelRepositoryServicer(self._model_repository_handlers)
        grpc_server.add_GRPCInferenceServiceServicer_to_server(inference, self._server)
        grpc_server.add_ModelRepositoryServiceServicer_to_server(repository, self._server)
        self._server.add_insecure_port(f"{self._settings.host}:{self._settings.grpc_port}")
        return self._server


class GuardedServer(mlserver.MLServer):
    """mlserver's server whose callers must send a token. Health is reported to all."""

    def __init__(self, settings: Any, token: Token) -> None:
        self._token = token
        super().__init__(settings)

    def _create_servers(self) -> None:
        super()._create_servers()
        self._rest_server._app.add_middleware(_RestGuard, token=self._token)
        self._grpc_server = _GuardedGrpcServer(self._settings, self._data_plane, self._model_repository_handlers, self._token)
        if self._metrics_server is not None:
            self._metrics_server._app.add_middleware(_RestGuard, token=self._token)
