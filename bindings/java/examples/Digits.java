import ai.inlay.OnnxTensor;
import ai.inlay.OrtEnvironment;
import ai.inlay.OrtException;
import ai.inlay.OrtSession;
import java.util.Locale;
import java.util.Map;

/** Digits MODEL: recognises a handwritten one. As for ONNX Runtime, but for the names of the imports. */
public final class Digits {
    private Digits() {}

    public static void main(String[] arguments) throws OrtException {
        // >>>
        float[][][][] image = new float[1][1][8][8];
        for (int row = 1; row < 7; ++row) {
            image[0][0][row][4] = 1;
        }
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.addCPU(Map.of("threads", "2"));
            options.addReference();
            try (OrtSession session = environment.createSession(arguments[0], options);
                 OnnxTensor tensor = OnnxTensor.createTensor(environment, image);
                 OrtSession.Result result = session.run(Map.of("image", tensor))) {
                float[] scores = ((float[][]) result.get(0).getValue())[0];
                for (int digit = 0; digit < scores.length; ++digit) {
                    System.out.printf(Locale.ROOT, "%d: %.6e%n", digit, scores[digit]);
                }
                System.out.println(session.plan());  // JSON: which node runs where, and why not elsewhere
            }
        }
        // <<<
    }
}
