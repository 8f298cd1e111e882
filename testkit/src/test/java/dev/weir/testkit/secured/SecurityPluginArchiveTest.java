package dev.weir.testkit.secured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.process.ClassPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecurityPluginArchiveTest {
  @TempDir private Path folder;

  @Test
  void addOnlyJarsThatTheServerLacks() throws IOException {
    ClassPath server =
        new ClassPath(
            List.of(
                folder.resolve("classes"),
                folder.resolve("guava-30.0-jre.jar"),
                folder.resolve("netty-codec-4.2.7.Final.jar")));
    Path archive =
        archive(
            "opensearch-security-3.4.0.0.jar",
            "guava-33.5.0-jre.jar",
            "netty-codec-4.2.7.Final.jar",
            "netty-codec-http-4.2.7.Final.jar",
            "plugin-descriptor.properties",
            "config/config.yml",
            "tools/tool.jar");

    NodePlugin plugin = new SecurityPluginArchive(archive, folder.resolve("cache")).plugin(server);

    assertThat(plugin.name()).isEqualTo("opensearch-security");
    assertThat(plugin.className()).isEqualTo("org.opensearch.security.OpenSearchSecurityPlugin");
    assertThat(plugin.classPath())
        .allSatisfy(jar -> assertThat(jar).isRegularFile())
        .extracting(jar -> jar.getFileName().toString())
        .containsExactly("netty-codec-http-4.2.7.Final.jar", "opensearch-security-3.4.0.0.jar");
  }

  @Test
  void unpackOnce() throws IOException {
    SecurityPluginArchive archive =
        new SecurityPluginArchive(archive("a-1.jar"), folder.resolve("cache"));
    Path unpacked = archive.plugin(new ClassPath(List.of())).classPath().getFirst();
    Files.writeString(unpacked, "kept");
    archive.plugin(new ClassPath(List.of()));
    assertThat(unpacked).hasContent("kept");
  }

  @Test
  void separateTheServerFromTheArchive() {
    Path jar = folder.resolve("a.jar");
    Path zip = folder.resolve("opensearch-security-3.4.0.0.zip");
    assertThat(SecurityPluginArchive.serverOf(new ClassPath(List.of(jar, zip))).entries())
        .containsExactly(jar);
    assertThatThrownBy(() -> SecurityPluginArchive.of(new ClassPath(List.of(jar))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("opensearch-security-*.zip");
  }

  private Path archive(String... names) throws IOException {
    Path archive = folder.resolve("opensearch-security-3.4.0.0.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
      for (String name : names) {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(1);
        zip.closeEntry();
      }
    }
    return archive;
  }
}
