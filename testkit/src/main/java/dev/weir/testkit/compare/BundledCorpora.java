package dev.weir.testkit.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The corpora that come with the testkit, each a resource {@code NAME.requests} beside this class.
 */
public final class BundledCorpora {
  /** So many at a time: nodes are waited for more than they work. */
  private static final int MAX_PARALLEL = 3;

  private static final List<String> NAMES =
      List.of(
          "documents",
          "documents-single",
          "documents-missing",
          "documents-routing",
          "documents-blocks",
          "documents-data-streams",
          "documents-pipelines",
          "documents-mappings",
          "update",
          "mget",
          "bulk",
          "bulk-shapes",
          "bulk-actions",
          "bulk-bodies",
          "search",
          "search-indices",
          "search-parameters",
          "search-queries",
          "search-sorts",
          "search-aggregations",
          "search-features",
          "search-failures",
          "search-counts",
          "search-many",
          "scroll-pit",
          "errors",
          "formats");

  private BundledCorpora() {}

  /** Their names. */
  public static List<String> names() {
    return NAMES;
  }

  /** The scenarios of one. */
  public static List<ComparisonScenario> scenarios(String name) {
    return CorpusReader.readResource(BundledCorpora.class, name + ".requests");
  }

  /**
   * Runs some, a few at a time, and returns when all have been run: a report on each, by name.
   *
   * @param names which
   */
  public static Map<String, CompletableFuture<ComparisonReport>> run(
      EndpointComparer comparer, List<String> names) {
    Map<String, CompletableFuture<ComparisonReport>> reports = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(MAX_PARALLEL)) {
      for (String name : names) {
        reports.put(
            name, CompletableFuture.supplyAsync(() -> comparer.run(scenarios(name)), threads));
      }
    }
    return reports;
  }
}
