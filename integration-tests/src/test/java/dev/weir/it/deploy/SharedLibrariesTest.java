package dev.weir.it.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.process.ClassPath;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The gateway runs the same versions of libraries as a node. Another version of a parser accepts
 * other requests than a node does, and no unit test notices: its class path is another one. Not so
 * the library that compresses by zstd: a node reads no request with it.
 */
class SharedLibrariesTest {
  /** A jar in a Maven repository: group and artifact, then the version. */
  private static final Pattern JAR = Pattern.compile("repository/(.+)/([^/]+)/[^/]+\\.jar");

  private static final String ZSTD = "com/github/luben/zstd-jni";

  @Test
  void haveTheVersionsOfANode() {
    Map<String, String> gateway = versions(ClassPath.ofGateway());
    Map<String, String> node = versions(ClassPath.ofDataNode());
    assertThat(gateway).containsKey("tools/jackson/core/jackson-core");
    gateway.keySet().retainAll(node.keySet());
    gateway.remove(ZSTD);
    node.keySet().retainAll(gateway.keySet());
    assertThat(gateway).hasSizeGreaterThan(20).isEqualTo(node);
  }

  private static Map<String, String> versions(ClassPath classPath) {
    Map<String, String> versions = new TreeMap<>();
    for (Path entry : classPath.entries()) {
      Matcher jar = JAR.matcher(entry.toString());
      if (jar.find()) {
        versions.put(jar.group(1), jar.group(2));
      }
    }
    return versions;
  }
}
