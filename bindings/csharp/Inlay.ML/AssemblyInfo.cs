using System.Reflection;
using System.Runtime.InteropServices;

[assembly: AssemblyTitle("Inlay.ML")]
[assembly: AssemblyDescription("Inlay runs ONNX models")]
[assembly: AssemblyVersion("0.2.0.0")]
[assembly: ComVisible(false)]
