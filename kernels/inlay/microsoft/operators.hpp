// The operators of the domain com.microsoft that the stock providers run: X(operator, file). Their structs' names begin
// with microsoft_ where ONNX has an operator of the same name.
#pragma once

#define INLAY_MICROSOFT_OPERATORS(X)
