package dev.weir.it.yaml;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * OpenSearch's REST test suite as its jar brings it.
 *
 * @param apis the REST APIs by name
 * @param tests the tests, in order of file name
 */
record YamlSuite(Map<String, ApiSpec> apis, List<YamlTestCase> tests) {
  private static final String ROOT = "/rest-api-spec/api/search.json";

  /** Reads the suite from the class path. */
  static YamlSuite load() throws IOException {
    URL found =
        Objects.requireNonNull(
            YamlSuite.class.getResource(ROOT), "rest-api-spec is not on the class path");
    try (FileSystem jar =
        FileSystems.newFileSystem(URI.create(found.toString().split("!")[0]), Map.of())) {
      Path root = jar.getPath("/rest-api-spec");
      return new YamlSuite(
          ApiSpec.readAll(root.resolve("api")), YamlTestCase.readAll(root.resolve("test")));
    }
  }
}
