package ai.inlay;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** Strings as UTF-8, which is not what JNI calls UTF. */
final class Texts {
    private Texts() {}

    /** Throws OrtException for halves of surrogate pairs, which UTF-8 cannot write. */
    static byte[] bytes(String text) throws OrtException {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder()
                                   .onMalformedInput(CodingErrorAction.REPORT)
                                   .encode(CharBuffer.wrap(text));
            byte[] array = new byte[bytes.remaining()];
            bytes.get(array);
            return array;
        } catch (CharacterCodingException e) {
            throw OrtException.of(
                FailureCode.INVALID_ARGUMENT, "inlay: a string has half of a surrogate pair: " + text);
        }
    }

    static byte[][] bytes(Collection<String> texts) throws OrtException {
        byte[][] list = new byte[texts.size()][];
        int k = 0;
        for (String text : texts) {
            list[k++] = bytes(text);
        }
        return list;
    }

    /** Null becomes an empty string; bytes that are not UTF-8 become U+FFFD. */
    static String text(byte[] bytes) { return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8); }
}
