package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** To accept a changed reference: {@code mvn -pl config -am test -Dweir.accept=true}. */
final class ReferenceYamlWriterTest {
  private static final Path FILE =
      Path.of(System.getProperty("weir.root", ".."), "docs", "reference.yaml");

  @Test
  void keepTheReferenceInTheDocsUpToDate() throws IOException {
    String written = ReferenceYamlWriter.toYaml();
    if (Boolean.getBoolean("weir.accept")) {
      Files.writeString(FILE, written);
    }
    assertThat(Files.readString(FILE)).isEqualTo(written);
  }

  @Test
  void loadTheReferenceAsTheDefaults() {
    PolicyLoader loader = new PolicyLoader(Map.of());
    LoadResult smallest =
        loader.parse("smallest", "clusters: {main: {seeds: [\"127.0.0.1:9300\"]}}");
    assertThat(smallest).isInstanceOf(LoadResult.Loaded.class);
    assertThat(loader.parse("reference", ReferenceYamlWriter.toYaml())).isEqualTo(smallest);
  }
}
