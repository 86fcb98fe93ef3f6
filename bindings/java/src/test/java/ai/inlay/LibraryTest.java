package ai.inlay;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class LibraryTest {
    private static final String RESOURCES =
        "/ai/inlay/native/linux-" + System.getProperty("os.arch").replace("amd64", "x86_64") + "/";
    private static final String LIBRARY = "libinlay_jni.so";

    @Rule public final TemporaryFolder temporary = new TemporaryFolder();

    private Path unpack() throws IOException { return NativeLibrary.unpack(RESOURCES, temporary.getRoot().toPath()); }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    public void theLibrariesAreUnpackedOnceIntoAFolderOfThisUserAlone() throws IOException {
        Path folder = unpack();
        assertEquals("rwx------", permissions(folder));
        Object key = Files.readAttributes(folder.resolve(LIBRARY), "unix:ino").get("ino");
        assertEquals(folder, unpack());
        assertEquals(key, Files.readAttributes(folder.resolve(LIBRARY), "unix:ino").get("ino"));
        try (Stream<Path> files = Files.list(folder)) {
            List<String> names = files.map(file -> file.getFileName().toString()).collect(Collectors.toList());
            assertTrue(names.toString(), names.contains(LIBRARY) && names.contains("libinlay.so.1"));
            assertFalse(names.toString(), names.stream().anyMatch(name -> name.startsWith("part-")));
        }
    }

    @Test
    public void aLibraryThatWasChangedIsReplaced() throws IOException {
        Path file = unpack().resolve(LIBRARY);
        long size = Files.size(file);
        Files.write(file, new byte[] {1});
        unpack();
        assertEquals(size, Files.size(file));
        Files.delete(file);
        Files.createSymbolicLink(file, Path.of("/etc/passwd"));
        unpack();
        assertFalse(Files.isSymbolicLink(file));
        assertTrue(Files.size(Path.of("/etc/passwd")) > 0);
    }

    @Test
    public void aFolderThatOthersMayWriteOrThatIsALinkIsNotUsed() throws IOException {
        Path folder = unpack();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path second = unpack();
        assertNotEquals(folder, second);
        assertEquals("rwx------", permissions(second));
        Path elsewhere = temporary.newFolder("elsewhere").toPath();
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwx------"));
        Files.move(folder, temporary.getRoot().toPath().resolve("moved"));
        Files.createSymbolicLink(folder, elsewhere);
        assertNotEquals(folder, unpack());
        assertEquals(0, elsewhere.toFile().list().length);
    }

    /** What another JVM prints of the version. */
    private String version(String... properties) throws Exception {
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + temporary.getRoot()));
        words.addAll(List.of(properties));
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), Version.class.getName()));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes());
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return text;
    }

    /** Prints the version of the library. */
    public static final class Version {
        private Version() {}

        public static void main(String[] arguments) {
            System.out.println("version " + OrtEnvironment.getEnvironment().getVersion());
        }
    }

    @Test
    public void systemPropertiesNameOtherLibraries() throws Exception {
        Path folder = Files.move(unpack(), temporary.getRoot().toPath().resolve("installed"));
        String library = "-Dai.inlay.library=" + folder.resolve("libinlay.so.1");
        String jni = "-Dai.inlay.jni=" + folder.resolve(LIBRARY);
        assertEquals("version " + System.getProperty("version"), version(library, jni).trim());
        try (Stream<Path> files = Files.list(temporary.getRoot().toPath())) {
            assertEquals(1,
                files.filter(Files::isDirectory)
                    .filter(path -> !path.getFileName().toString().startsWith("hsperf"))
                    .count());
        }
        assertEquals("version " + System.getProperty("version"), version(library).trim());
        String text = version("-Dai.inlay.library=/no/such/libinlay.so", jni);
        assertTrue(text, text.contains("UnsatisfiedLinkError") && text.contains("/no/such/libinlay.so"));
    }

    @Test
    public void aSystemThatTheJarHasNoLibraryForIsNamed() throws Exception {
        String text = version("-Dos.arch=riscv64");
        assertTrue(text, text.contains("/ai/inlay/native/linux-riscv64/") && text.contains("ai.inlay.library"));
    }
}
