package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks documents against the gateway's code, without a running gateway. */
class DocsTest {
  private static final Set<String> TAGS =
      Set.of(
          "yaml", "sh", "console", "text", "http", "json", "csv", "ndjson", "python", "java",
          "nginx", "haproxy");

  /** The test classes that send the requests of blocks tagged http, by document. */
  private static final Map<String, String> RUN_BY =
      Map.of(
          "docs/columnar.md", "columnar/ColumnarDocIT",
          "docs/export.md", "columnar/ColumnarDocIT",
          "docs/pruning.md", "pruning/PruningDocIT",
          "docs/sampling.md", "SearchSamplerIT",
          "docs/shadow.md", "bluegreen/ShadowIT",
          "docs/tracing.md", "traces/TracesDocIT");

  private static final Pattern LINK =
      Pattern.compile("\\[(?:[^\\]\\[]++|\\[[^]]*+])*+]\\(([^)\\s]+)\\)|src=\"([^\"]+)\"");
  private static final Pattern KEY =
      Pattern.compile(
          "`((?!http\\.re(?:quest|sponse)\\.)(?:http|admin|routing|bulk|admission|responses|observability|traffic|clusters|search)(?:\\.[a-z][a-z-]*)+)(?::"
              + " [^`]*)?`");

  /** A metric, and not one of the codecs {@code weir_zstd}. */
  private static final Pattern METRIC = Pattern.compile("\\bweir_(?!zstd)[a-z0-9_]+");

  private static final Pattern ALERT = Pattern.compile("`(Weir[A-Z]\\w+)(?<!Test)`");

  private static String text(String file) throws IOException {
    return Files.readString(MarkdownDoc.root().resolve(file));
  }

  private static List<MarkdownDoc.Block> blocks() throws IOException {
    return MarkdownDoc.all().stream().flatMap(doc -> doc.blocks().stream()).toList();
  }

  @Test
  void labelEveryCodeBlock() throws IOException {
    assertThat(blocks())
        .hasSizeGreaterThan(50)
        .allSatisfy(block -> assertThat(TAGS).as(block.where()).contains(block.tag()));
  }

  @Test
  void loadEveryConfiguration(@TempDir Path folder) throws IOException {
    int configurations = 0;
    for (MarkdownDoc.Block block : blocks()) {
      if (ConfigBlock.isConfig(block)) {
        String yaml = new ConfigBlock(block).completeConfig();
        if (ConfigBlock.load(block.where(), yaml, folder) instanceof LoadResult.Invalid refused) {
          throw new AssertionError(refused.render());
        }
        configurations++;
      }
    }
    assertThat(configurations).isGreaterThan(30);
  }

  @Test
  void parseOtherYaml() throws IOException {
    Set<String> found = new HashSet<>();
    for (MarkdownDoc.Block block : blocks()) {
      if (block.tag().equals("yaml") && !ConfigBlock.isConfig(block)) {
        found.add(ConfigBlock.foreignName(block));
        Object tree = new Load(LoadSettings.builder().build()).loadFromString(block.text());
        assertThat(tree).as(block.where()).isInstanceOf(Map.class);
      }
    }
    assertThat(found).isEqualTo(ConfigBlock.foreignNames());
  }

  @Test
  void sendEveryRequestInSomeTest() throws IOException {
    Set<String> documents = new TreeSet<>();
    blocks().stream()
        .filter(block -> block.tag().equals("http"))
        .forEach(block -> documents.add(block.doc()));
    assertThat(documents).isEqualTo(new TreeSet<>(RUN_BY.keySet()));
    for (Map.Entry<String, String> run : RUN_BY.entrySet()) {
      String test = "integration-tests/src/test/java/dev/weir/it/" + run.getValue() + ".java";
      String name = run.getKey().replaceAll("docs/|\\.md", "");
      assertThat(text(test)).as(test).contains(name);
    }
  }

  @Test
  void resolveEveryLink() throws IOException {
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (MarkdownDoc doc : MarkdownDoc.all()) {
      String prose = String.join("\n", doc.prose());
      for (MatchResult link : LINK.matcher(prose).results().toList()) {
        String target = link.group(1) != null ? link.group(1) : link.group(2);
        if (!target.matches("[a-z]+:.*")) {
          links++;
          if (!leads(doc, target)) {
            dead.add(doc.name() + ": " + target);
          }
        }
      }
    }
    assertThat(dead).isEmpty();
    assertThat(links).isGreaterThan(100);
  }

  private static boolean leads(MarkdownDoc doc, String target) {
    int hash = target.indexOf('#');
    String file = hash < 0 ? target : target.substring(0, hash);
    Path path = file.isEmpty() ? doc.path() : doc.path().resolveSibling(file).normalize();
    return Files.exists(path)
        && path.startsWith(MarkdownDoc.root())
        && (hash < 0 || MarkdownDoc.of(path).anchors().contains(target.substring(hash + 1)));
  }

  @Test
  void showEveryPicture() throws IOException {
    String all =
        MarkdownDoc.all().stream()
            .map(doc -> String.join("\n", doc.prose()))
            .collect(Collectors.joining());
    try (Stream<Path> pictures = Files.list(MarkdownDoc.root().resolve("docs/pictures"))) {
      assertThat(pictures.map(path -> "pictures/" + path.getFileName()).toList())
          .isNotEmpty()
          .allSatisfy(picture -> assertThat(all).contains(picture));
    }
  }

  @Test
  void documentEveryCommand() throws IOException {
    CommandLines commands = new CommandLines(MarkdownDoc.root());
    assertThat(commands.treeCommands())
        .contains("demo", "run", "check", "package", "test", "bench");
    assertThat(commands.packageCommands()).contains("run", "check", "warm");
    List<String> problems = new ArrayList<>();
    for (MarkdownDoc doc : MarkdownDoc.all()) {
      for (String problem : commands.problems(Files.readString(doc.path()))) {
        problems.add(doc.name() + ": " + problem);
      }
    }
    assertThat(problems).isEmpty();
  }

  @Test
  void documentEveryKey() throws IOException {
    Object schema =
        new Load(LoadSettings.builder().build()).loadFromString(text("docs/weir.schema.json"));
    Set<String> unknown = new TreeSet<>();
    int keys = 0;
    for (MarkdownDoc doc : MarkdownDoc.all()) {
      for (MatchResult key : KEY.matcher(String.join("\n", doc.prose())).results().toList()) {
        keys++;
        if (!has(schema, key.group(1).split("\\."), 0)) {
          unknown.add(doc.name() + ": " + key.group(1));
        }
      }
    }
    assertThat(unknown).isEmpty();
    assertThat(keys).isGreaterThan(100);
  }

  /** Each policy section occurs in an example of policies.md. */
  @Test
  void giveAnExampleOfEveryPolicy() throws IOException {
    Object schema =
        new Load(LoadSettings.builder().build()).loadFromString(text("docs/weir.schema.json"));
    Set<String> parts = new TreeSet<>();
    parts(schema, parts);
    assertThat(parts).contains("admission.queue", "traffic.shadow", "routing", "routes");
    for (MarkdownDoc.Block block :
        MarkdownDoc.of(MarkdownDoc.root().resolve("docs/policies.md")).blocks()) {
      parts.removeAll(keys(block.text()));
    }
    assertThat(parts).isEmpty();
  }

  private static void parts(Object schema, Set<String> into) {
    properties(schema)
        .forEach((section, type) -> {
          into.add(section);
          properties(type)
              .forEach((part, inner) -> {
                if (!properties(inner).isEmpty()) {
                  into.add(section + "." + part);
                }
              });
        });
  }

  private static Map<String, Object> properties(Object schema) {
    Map<String, Object> found = new TreeMap<>();
    if (schema instanceof Map<?, ?> type && type.get("properties") instanceof Map<?, ?> named) {
      named.forEach((name, inner) -> found.put(name.toString(), inner));
    }
    return found;
  }

  private static Set<String> keys(String yaml) {
    Set<String> keys = new HashSet<>();
    if (new Load(LoadSettings.builder().build()).loadFromString(yaml) instanceof Map<?, ?> tree) {
      tree.forEach((section, value) -> {
        keys.add(section.toString());
        if (value instanceof Map<?, ?> parts) {
          parts.keySet().forEach(part -> keys.add(section + "." + part));
        }
      });
    }
    return keys;
  }

  private static boolean has(Object schema, String[] path, int from) {
    if (from == path.length) {
      return true;
    }
    if (!(schema instanceof Map<?, ?> type)) {
      return false;
    }
    Object items = type.get("items");
    Object others = type.get("additionalProperties");
    if (type.get("properties") instanceof Map<?, ?> named && named.containsKey(path[from])) {
      return has(named.get(path[from]), path, from + 1);
    }
    return (items instanceof Map && has(items, path, from))
        || (others instanceof Map && has(others, path, from + 1));
  }

  @Test
  void documentEveryMetric() throws IOException {
    Set<String> described =
        METRIC
            .matcher(text("docs/metrics.md"))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toSet());
    Set<String> unknown = new TreeSet<>();
    for (MarkdownDoc doc : MarkdownDoc.all()) {
      METRIC
          .matcher(Files.readString(doc.path()))
          .results()
          .map(MatchResult::group)
          .filter(metric ->
              described.stream()
                  .noneMatch(one ->
                      metric.equals(one)
                          || metric.replaceAll("_(?:bucket|count|sum|max)$", "").equals(one)
                          || (metric.endsWith("_") && one.startsWith(metric))))
          .forEach(metric -> unknown.add(doc.name() + ": " + metric));
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void documentEveryAlert() throws IOException {
    String rules = text("deploy/prometheus/weir.rules.yaml");
    Set<String> named = new TreeSet<>();
    for (MarkdownDoc doc : MarkdownDoc.all()) {
      ALERT
          .matcher(String.join("\n", doc.prose()))
          .results()
          .forEach(alert -> named.add(alert.group(1)));
    }
    assertThat(named)
        .hasSizeGreaterThan(5)
        .allSatisfy(alert -> assertThat(rules).contains("- alert: " + alert + "\n"));
  }
}
