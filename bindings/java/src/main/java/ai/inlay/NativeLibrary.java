package ai.inlay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Loads libinlay.so and the library of JNI: those that the system properties ai.inlay.library and ai.inlay.jni name,
 * else the jar's own. These are unpacked once, into a folder of the temporary files that is named by their checksums
 * and that no other user may read or write; what is there already is used only if it has these checksums.
 */
final class NativeLibrary {
    static final String LIBRARY_PROPERTY = "ai.inlay.library";
    static final String JNI_PROPERTY = "ai.inlay.jni";
    private static final String LIBRARY = "libinlay.so.1";
    private static final String JNI = "libinlay_jni.so";

    private NativeLibrary() {}

    static void load() {
        String library = System.getProperty(LIBRARY_PROPERTY);
        String jni = System.getProperty(JNI_PROPERTY);
        try {
            Path folder = library == null || jni == null ? unpack(resources(), temporaryFolder()) : null;
            // The first one is found by its name when the second one is loaded, which needs it.
            System.load(library == null ? folder.resolve(LIBRARY).toString() : absolute(library));
            System.load(jni == null ? folder.resolve(JNI).toString() : absolute(jni));
        } catch (IOException e) {
            throw(Error) new UnsatisfiedLinkError("inlay: the native libraries cannot be unpacked: " + e.getMessage())
                .initCause(e);
        } catch (UnsatisfiedLinkError e) {
            throw(Error) new UnsatisfiedLinkError("inlay: " + e.getMessage()
                + "; libprotobuf is needed where the jar was"
                + " built with a shared one, and java.io.tmpdir has to permit execution")
                .initCause(e);
        }
    }

    private static String absolute(String path) { return Path.of(path).toAbsolutePath().toString(); }

    private static Path temporaryFolder() { return Path.of(System.getProperty("java.io.tmpdir")); }

    /** Where the jar has libraries for this system. */
    private static String resources() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return "/ai/inlay/native/" + system + "-" + (processor.equals("amd64") ? "x86_64" : processor) + "/";
    }

    /** Returns the folder with the libraries of a folder of resources. */
    static Path unpack(String resources, Path temporary) throws IOException {
        Map<String, String> checksums = checksums(resources);
        Path folder = folder(temporary, digest(checksums.toString()).substring(0, 16));
        for (Map.Entry<String, String> entry : checksums.entrySet()) {
            Path file = folder.resolve(entry.getKey());
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || !digest(file).equals(entry.getValue())) {
                unpack(resources + entry.getKey(), entry.getValue(), folder, file);
            }
        }
        return folder;
    }

    /** SHA-256 by file name, as the file `checksums` lists them. */
    private static Map<String, String> checksums(String resources) throws IOException {
        Map<String, String> checksums = new LinkedHashMap<>();
        try (InputStream list = NativeLibrary.class.getResourceAsStream(resources + "checksums")) {
            if (list == null) {
                throw new IOException("this jar has none for " + resources + "; -D" + LIBRARY_PROPERTY + "=FILE and -D"
                    + JNI_PROPERTY + "=FILE name others");
            }
            String text = new String(list.readAllBytes(), StandardCharsets.UTF_8);
            text.lines().map(line -> line.split(" +")).forEach(words -> checksums.put(words[1], words[0]));
        }
        return checksums;
    }

    /** A folder of this user alone: the one of this name, or a new one where another user has it. */
    private static Path folder(Path temporary, String checksum) throws IOException {
        String user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9]", "_");
        Path folder = temporary.resolve("inlay-" + user + "-" + checksum);
        try {
            return Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            return isPrivate(folder, temporary) ? folder : privateFolder(temporary);
        }
    }

    private static Path privateFolder(Path temporary) throws IOException {
        Path folder = Files.createTempDirectory(temporary, "inlay-");
        folder.toFile().deleteOnExit();
        return folder;
    }

    private static boolean isPrivate(Path folder, Path temporary) throws IOException {
        PosixFileAttributes attributes =
            Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        Path probe = Files.createTempFile(temporary, "inlay-", "");  // its owner is this user
        try {
            return attributes.isDirectory() && attributes.owner().equals(Files.getOwner(probe))
                && PosixFilePermissions.toString(attributes.permissions()).equals("rwx------");
        } finally {
            Files.delete(probe);
        }
    }

    /** Other processes, which may do the same, see the whole file or none. */
    private static void unpack(String resource, String checksum, Path folder, Path file) throws IOException {
        Path part = Files.createTempFile(folder, "part-", "");
        try (InputStream from = NativeLibrary.class.getResourceAsStream(resource)) {
            if (from == null || !copy(from, part).equals(checksum)) {
                throw new IOException("the jar is damaged: " + resource + " is missing, or has another checksum");
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static String copy(InputStream from, Path to) throws IOException {
        MessageDigest digest = sha256();
        try (OutputStream file = new DigestOutputStream(Files.newOutputStream(to), digest)) {
            from.transferTo(file);
        }
        return hex(digest);
    }

    private static String digest(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream from = Files.newInputStream(file);
             OutputStream to = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            from.transferTo(to);
        }
        return hex(digest);
    }

    private static String digest(String text) {
        MessageDigest digest = sha256();
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        return hex(digest);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);  // every JDK has it
        }
    }

    private static String hex(MessageDigest digest) {
        StringBuilder text = new StringBuilder();
        for (byte part : digest.digest()) {
            text.append(String.format(Locale.ROOT, "%02x", part));
        }
        return text.toString();
    }
}
