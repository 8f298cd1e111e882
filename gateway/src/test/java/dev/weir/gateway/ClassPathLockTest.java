package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway runs with the jars that {@code deploy/package/class-path.lock} names, unchanged. */
class ClassPathLockTest {
  private static final Path PACKAGE = Path.of("..", "deploy", "package");
  private static final Path CLASS_PATH = Path.of("target", "gateway.classpath");

  private record Result(int exitCode, String output) {}

  private static Result run(String... arguments) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            PACKAGE.resolve("SupplyChain.java").toString()),
                        Stream.of(arguments))
                    .toList())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  @Test
  void runTheLockedJars() throws Exception {
    assumeTrue(Files.exists(CLASS_PATH), "the build has not written target/gateway.classpath");
    Result check =
        run("check", CLASS_PATH.toString(), PACKAGE.resolve("class-path.lock").toString());
    assertThat(check.output()).contains("jars match class-path.lock");
    assertThat(check.exitCode()).isZero();
  }

  @Test
  void reportEachDifference(@TempDir Path folder) throws Exception {
    assumeTrue(Files.exists(CLASS_PATH), "the build has not written target/gateway.classpath");
    List<String> lines = Files.readAllLines(PACKAGE.resolve("class-path.lock"));
    String removed = lines.get(1).split("\\s+")[1];
    String changed = lines.get(2).split("\\s+")[1];
    Path lock =
        Files.write(
            folder.resolve("class-path.lock"),
            Stream.concat(
                    lines.stream().skip(3),
                    Stream.of("0".repeat(64) + "  " + changed, "1  org.example:gone:1"))
                .toList());
    Result check = run("check", CLASS_PATH.toString(), lock.toString());
    assertThat(check.exitCode()).isEqualTo(1);
    assertThat(check.output())
        .contains(removed + " is not in class-path.lock")
        .contains(changed + ": got ")
        .contains("org.example:gone:1 is no longer on the class path");
  }

  @Test
  void listEveryJarWithALicense(@TempDir Path folder) throws Exception {
    assumeTrue(Files.exists(CLASS_PATH), "the build has not written target/gateway.classpath");
    Result reports =
        run("reports", CLASS_PATH.toString(), "1", "2026-01-01T00:00:00Z", folder.toString());
    assertThat(reports.exitCode()).as(reports.output()).isZero();
    int jars = Files.readAllLines(PACKAGE.resolve("class-path.lock")).size() - 1;
    assertThat(Files.readAllLines(folder.resolve("licenses.csv")))
        .hasSize(jars + 1)
        .noneMatch(line -> line.endsWith(","));
    assertThat(Files.readString(folder.resolve("sbom.cdx.json")))
        .contains("\"bomFormat\": \"CycloneDX\"")
        .contains("pkg:maven/org.opensearch/opensearch@");
  }
}
