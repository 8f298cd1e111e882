package dev.weir.it.yaml;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * One test of the suite.
 *
 * @param file the file below the suite's root, such as {@code bulk/10_basic.yml}
 * @param name the test's title
 * @param setup steps before it
 * @param steps its own steps
 * @param teardown steps after it, also after a failure
 */
record YamlTestCase(
    String file,
    String name,
    List<Map<String, Object>> setup,
    List<Map<String, Object>> steps,
    List<Map<String, Object>> teardown) {

  /** Reads all tests below a folder, in order of file name. */
  static List<YamlTestCase> readAll(Path folder) throws IOException {
    List<YamlTestCase> tests = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".yml")).sorted().toList()) {
        tests.addAll(read(folder.relativize(file).toString(), file));
      }
    }
    return tests;
  }

  /** Returns file and title, for messages. */
  String title() {
    return file + " > " + name;
  }

  private static List<YamlTestCase> read(String name, Path file) throws IOException {
    // titles sometimes repeat a key ("- do" twice in one map never occurs)
    Load load =
        new Load(
            LoadSettings.builder()
                .setAllowDuplicateKeys(true)
                .setCodePointLimit(10_000_000)
                .build());
    List<Map<String, Object>> setup = List.of();
    List<Map<String, Object>> teardown = List.of();
    List<YamlTestCase> tests = new ArrayList<>();
    for (Object document : load.loadAllFromString(Files.readString(file, StandardCharsets.UTF_8))) {
      if (document == null) {
        continue;
      }
      for (Map.Entry<?, ?> section : ((Map<?, ?>) document).entrySet()) {
        String title = (String) section.getKey();
        List<Map<String, Object>> steps = steps(section.getValue());
        switch (title) {
          case "setup" -> setup = steps;
          case "teardown" -> teardown = steps;
          default -> tests.add(new YamlTestCase(name, title, List.of(), steps, List.of()));
        }
      }
    }
    List<Map<String, Object>> before = setup;
    List<Map<String, Object>> after = teardown;
    return tests.stream()
        .map(test -> new YamlTestCase(test.file, test.name, before, test.steps, after))
        .toList();
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> steps(Object section) {
    return (List<Map<String, Object>>) section;
  }
}
