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

/** A YAML block that is a configuration of a gateway, or a part of one. */
record ConfigBlock(MarkdownDoc.Block block) {
  /** The clusters section for parts without one. */
  static final List<String> CLUSTERS = List.of("main", "blue", "green");

  /** YAML of other programs, by document and first key. */
  static final Map<String, String> FOREIGN_FILES =
      Map.of(
          "docs/deploy.md rules", "Prometheus's adapter",
          "docs/deploy.md scrape_configs", "Prometheus",
          "docs/restarts.md operator", "OpenSearch's security plugin",
          "docs/security.md plugins.security.nodes_dn", "OpenSearch");

  private static final Pattern NAME = Pattern.compile("\\A# ([\\w-]+\\.yaml)\\b");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)}");
  private static final Pattern SECRET = Pattern.compile("\\$\\{file:(/[^}]*)}");
  private static final Pattern PEM =
      Pattern.compile("/(?:etc/weir|tmp/secured)/[\\w./-]+\\.(?:crt|key|pem)");
  private static final Pattern REPAIR_LOG = Pattern.compile("(repair-log-directory: )/[^\\s,}#]*");
  private static final Pattern SECTION = Pattern.compile("(?m)^clusters:.*\\n(?:(?:[ #].*)?\\n)*");

  static boolean isConfig(MarkdownDoc.Block block) {
    return block.tag().equals("yaml") && !FOREIGN_FILES.containsKey(foreignName(block));
  }

  static String foreignName(MarkdownDoc.Block block) {
    return block.doc() + " " + block.text().lines().findFirst().orElse("").replaceAll(":.*", "");
  }

  /** The file name that the document gives; may be missing. */
  @Nullable String fileName() {
    Matcher name = NAME.matcher(block.text());
    return name.find() ? name.group(1) : null;
  }

  /** Returns a complete configuration with the document's seeds. */
  String completeConfig() {
    return block.text().startsWith("clusters:") || block.text().contains("\nclusters:")
        ? block.text()
        : clusters(CLUSTERS, List.of("127.0.0.1:9301")) + block.text();
  }

  /** Returns a complete configuration of a gateway in front of these clusters. */
  String withClusters(List<String> names, List<String> seeds) {
    return clusters(names, seeds) + SECTION.matcher(block.text()).replaceFirst("");
  }

  static String clusters(List<String> names, List<String> seeds) {
    String quoted = seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    return names.stream()
        .map(name -> "  " + name + ": {seeds: [" + quoted + "], authorization: none}\n")
        .collect(Collectors.joining("", "clusters:\n", ""));
  }

  /** Loads a configuration, and creates the files and folders that it names. */
  static LoadResult load(String where, String yaml, Path folder) throws IOException {
    Path secret = folder.resolve("secret");
    Files.writeString(secret, "a-secret-of-the-tests\n");
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
