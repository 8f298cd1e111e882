package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.codecs.Codec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.Version;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.engine.EngineConfig;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.plugins.PluginsService;

/** Loads the zip as a node does; the plugin's classes are not on the test's class path. */
final class PluginZipIT {
  private static final String NAME = "weir-data-node";

  @TempDir private Path home;
  private Path plugin;

  @BeforeEach
  void unpack() throws IOException {
    plugin = Files.createDirectories(home.resolve("plugins").resolve(NAME));
    try (FileSystem zip = FileSystems.newFileSystem(Path.of(property("weir.plugin.zip")));
        Stream<Path> entries = Files.walk(zip.getPath("/"))) {
      for (Path entry : entries.filter(Files::isRegularFile).toList()) {
        Path file = plugin.resolve(entry.toString().substring(1));
        Files.createDirectories(file.getParent());
        Files.copy(entry, file);
      }
    }
  }

  @Test
  void holdsTheDescriptorAndOneJar() throws IOException {
    try (Stream<Path> files = Files.walk(plugin)) {
      assertThat(files.filter(Files::isRegularFile).map(file -> plugin.relativize(file).toString()))
          .containsExactlyInAnyOrder(
              PluginInfo.OPENSEARCH_PLUGIN_PROPERTIES,
              NAME + "-" + property("weir.plugin.version") + ".jar");
    }
  }

  @Test
  void describeThePluginForItsOpenSearchVersion() throws IOException {
    PluginInfo info = PluginInfo.readFromProperties(plugin);

    assertThat(info.getName()).isEqualTo(NAME);
    assertThat(info.getVersion()).isEqualTo(property("weir.plugin.version"));
    assertThat(info.getClassname()).isEqualTo("dev.weir.node.WeirPlugin");
    assertThat(info.getJavaVersion()).isEqualTo("21");
    assertThat(info.getDescription()).contains("Weir");
    assertThat(PluginsService.isPluginVersionCompatible(info, Version.CURRENT)).isTrue();
  }

  @Test
  void knowsItsOwnVersion() throws IOException {
    Path jar = plugin.resolve(NAME + "-" + property("weir.plugin.version") + ".jar");
    try (FileSystem classes = FileSystems.newFileSystem(jar)) {
      assertThat(Files.readString(classes.getPath("/dev/weir/node/version.properties")))
          .isEqualToIgnoringNewLines("version=" + property("weir.plugin.version"));
    }
  }

  @Test
  void loadThePluginFromItsFolder() {
    Settings zstd = Settings.builder().put("index.codec", "weir_zstd").build();
    // As on a node without the plugin.
    assertThatThrownBy(() -> EngineConfig.INDEX_CODEC_SETTING.get(zstd))
        .hasMessageContaining("unknown value for [index.codec]");

    PluginsService plugins =
        new PluginsService(
            Settings.EMPTY, home.resolve("config"), null, plugin.getParent(), List.of());

    assertThat(plugins.info().getPluginInfos())
        .singleElement()
        .extracting(PluginInfo::getName)
        .isEqualTo(NAME);
    assertThat(plugins.getPluginSettings())
        .map(Setting::getKey)
        .containsExactly("index.bulk_routing.enabled");
    assertThat(Codec.availableCodecs()).contains("WeirZstd104", "WeirZstdComposite104");
    assertThat(EngineConfig.INDEX_CODEC_SETTING.get(zstd)).isEqualTo("weir_zstd");
  }

  private static String property(String name) {
    String value = System.getProperty(name);
    assertThat(value).as(name).isNotNull();
    return value;
  }
}
