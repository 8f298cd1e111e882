package dev.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassPathTest {
  @TempDir private Path target;

  @Test
  void putsTheModulesOwnClassesFirst() throws Exception {
    Path file = target.resolve("node.classpath");
    Files.writeString(file, "/lib/a.jar" + File.pathSeparator + "/lib/b.jar\n");

    assertThat(ClassPath.read(file, "module").entries())
        .containsExactly(target.resolve("classes"), Path.of("/lib/a.jar"), Path.of("/lib/b.jar"));
  }

  @Test
  void saysHowToBuildAMissingFile() {
    Path file = target.resolve("node.classpath");

    assertThatThrownBy(() -> ClassPath.read(file, "testkit/node"))
        .hasMessage(
            "got no class path file "
                + file
                + " (expected: the build writes it; run:"
                + " mvn -q -pl testkit/node -am test-compile)");
  }

  @Test
  void addsEachEntryOnce() {
    ClassPath classPath = new ClassPath(List.of(Path.of("a"), Path.of("b")));

    assertThat(classPath.plus(List.of(Path.of("c"), Path.of("a"))).joined())
        .isEqualTo(String.join(File.pathSeparator, "a", "b", "c"));
  }

  @Test
  void findsTheCheckoutAroundTheTests() {
    assertThat(WorkingTree.root().resolve("testkit/pom.xml")).exists();
  }
}
