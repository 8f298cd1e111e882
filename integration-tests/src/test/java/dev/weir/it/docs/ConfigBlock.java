package dev.weir.it.docs;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A block of YAML in a document that is a configuration of a gateway, or a part of one. */
record ConfigBlock(MarkdownDoc.Block block) {
  /** Where clusters are not what a part is about. */
  static final List<String> CLUSTERS = List.of("main", "blue", "green");

  /** YAML of other programs, by document and first key. */
  static final Map<String, String> FOREIGN_FILES =
      Map.of(
          "docs/deploy.md rules", "Prometheus's adapter",
          "docs/deploy.md scrape_configs", "Prometheus");

  private static final Pattern NAME = Pattern.compile("\\A# ([\\w-]+\\.yaml)\\b");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)}");
  private static final Pattern SECRET = Pattern.compile("\\$\\{file:(/[^}]*)}");
  private static final Pattern PEM = Pattern.compile("/etc/weir/[\\w.-]+\\.(?:crt|key)");
  private static final Pattern REPAIR_LOG = Pattern.compile("(repair-log-directory: )/[^\\s,}#]*");
  private static final Pattern SECTION = Pattern.compile("(?m)^clusters:.*\\n(?:(?:[ #].*)?\\n)*");

  static boolean isConfig(MarkdownDoc.Block block) {
    return block.tag().equals("yaml") && !FOREIGN_FILES.containsKey(foreignName(block));
  }

  static String foreignName(MarkdownDoc.Block block) {
    return block.doc() + " " + block.text().lines().findFirst().orElse("").replaceAll(":.*", "");
  }

  /** What the document calls the file, if it does. */
  @Nullable String fileName() {
    Matcher name = NAME.matcher(block.text());
    return name.find() ? name.group(1) : null;
  }

  /** All of a configuration, with seeds of the document where it has clusters. */
  String completeConfig() {
    return block.text().startsWith("clusters:") || block.text().contains("\nclusters:")
        ? block.text()
        : clusters(CLUSTERS, List.of("127.0.0.1:9301")) + block.text();
  }

  /** All of a configuration of a gateway that runs before these clusters. */
  String withClusters(List<String> names, List<String> seeds) {
    return clusters(names, seeds) + SECTION.matcher(block.text()).replaceFirst("");
  }

  static String clusters(List<String> names, List<String> seeds) {
    String quoted = seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    return names.stream()
        .map(name -> "  " + name + ": {seeds: [" + quoted + "]}\n")
        .collect(Collectors.joining("", "clusters:\n", ""));
  }

  /** Reads one, with files and folders of its own for those that it names. */
  static LoadResult load(String where, String yaml, Path folder) throws IOException {
    Path secret = folder.resolve("secret");
    Files.writeString(secret, "secret\n");
    Map<String, String> environment = new TreeMap<>();
    VARIABLE.matcher(yaml).results().forEach(found -> environment.put(found.group(1), "1"));
    String text =
        SECRET.matcher(yaml).replaceAll(Matcher.quoteReplacement("${file:" + secret + "}"));
    text = PEM.matcher(text).replaceAll(Matcher.quoteReplacement(secret.toString()));
    text = REPAIR_LOG.matcher(text).replaceAll("$1" + Matcher.quoteReplacement(folder + "/repair"));
    return new PolicyLoader(environment).parse(where, text);
  }

  static Set<String> foreignNames() {
    return FOREIGN_FILES.keySet();
  }
}
