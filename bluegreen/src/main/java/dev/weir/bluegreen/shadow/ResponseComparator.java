package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares two clusters' responses to the same read. Used once, by one thread. */
final class ResponseComparator {
  /** Members of a search response that are compared separately or are insignificant. */
  private static final Set<String> KNOWN_MEMBERS =
      Set.of(
          "took",
          "timed_out",
          "terminated_early",
          "num_reduce_phases",
          "_shards",
          "_clusters",
          "status",
          "hits",
          "aggregations");

  private final DifferenceCollector differences = new DifferenceCollector();
  private final HitsComparator hits;
  private final AggregationComparator aggregations;
  private final ColumnarComparator columns;
  private final ReadKind kind;
  private final boolean partial;

  /**
   * The tolerances of a comparison.
   *
   * @param aggregations maximum difference of two numbers, as a share of the larger one
   * @param minOverlap the overlap from which rankings are similar
   */
  record Tolerances(double aggregations, double minOverlap) {}

  ResponseComparator(ReadKind kind, Tolerances tolerances, HitsComparator.Paging paging) {
    this.kind = kind;
    this.partial = paging.partial();
    this.hits = new HitsComparator(differences, tolerances.minOverlap(), paging);
    this.aggregations = new AggregationComparator(differences, hits, tolerances.aggregations());
    this.columns = new ColumnarComparator(differences, aggregations);
  }

  /** Collects the differences. */
  DifferenceCollector compare(CapturedResponse primary, CapturedResponse shadow) {
    if (CapturedResponse.isRejection(primary.status())
        || CapturedResponse.isRejection(shadow.status())) {
      differences.recordIncomparable(Reason.REJECTED);
    } else if (primary.status() != shadow.status()) {
      differences.add(Kind.STATUS, "status", primary.status(), shadow.status());
    } else if (kind != ReadKind.EXISTS) {
      compareBodies(primary, shadow);
    }
    return differences;
  }

  private void compareBodies(CapturedResponse primary, CapturedResponse shadow) {
    byte[] one = primary.body();
    byte[] other = shadow.body();
    if (one == null || other == null) {
      differences.recordIncomparable(Reason.LONG_RESPONSE);
    } else if (!primary.isJson() || !shadow.isJson()) {
      if (!primary.contentType().equals(shadow.contentType()) || !Arrays.equals(one, other)) {
        differences.recordIncomparable(Reason.UNSUPPORTED_FORMAT);
      }
    } else {
      try {
        compareTrees(JsonComparison.parse(one), JsonComparison.parse(other), primary.isError());
      } catch (JsonComparison.MalformedJsonException e) {
        differences.recordIncomparable(Reason.MALFORMED_RESPONSE);
      }
    }
  }

  private void compareTrees(Object primary, Object shadow, boolean error) {
    Map<String, Object> one = JsonComparison.asObject(primary);
    Map<String, Object> other = JsonComparison.asObject(shadow);
    if (one == null || other == null) {
      differences.recordIncomparable(Reason.UNSUPPORTED_FORMAT);
    } else if (error && (one.containsKey("error") || other.containsKey("error"))) {
      compareErrors("", one, other);
    } else {
      switch (kind) {
        case SEARCH -> compareSearches("", one, other);
        case MSEARCH -> compareItems("responses", one, other);
        case MGET -> compareItems("docs", one, other);
        case GET -> compareDocuments("", one, other);
        case SOURCE -> compareSource(one, other);
        case COUNT -> compareCounts(one, other);
        case EXISTS -> {
          // has no body
        }
      }
    }
  }

  private static String childPath(String path, String member) {
    return path.isEmpty() ? member : path + "." + member;
  }

  // Errors: only types are compared, since messages name nodes and indices of their cluster.

  private void compareErrors(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    Object one = errorType(primary.get("error"));
    Object other = errorType(shadow.get("error"));
    if (!JsonComparison.isSame(one, other)) {
      differences.add(
          Kind.ERROR, childPath(path, "error"), primary.get("error"), shadow.get("error"));
    }
  }

  private static @Nullable Object errorType(@Nullable Object error) {
    Map<String, Object> object = JsonComparison.asObject(error);
    return object == null ? error : object.get("type");
  }

  // Searches.

  private void compareSearches(
      String path, Map<String, Object> primary, Map<String, Object> shadow) {
    Reason unfit = incomparableReason(primary);
    if (unfit == null) {
      unfit = incomparableReason(shadow);
    }
    if (unfit != null) {
      differences.recordIncomparable(unfit);
      return;
    }
    compareMember(path, "hits", Kind.HITS, primary, shadow);
    if (ColumnarComparator.hasColumns(primary) || ColumnarComparator.hasColumns(shadow)) {
      columns.compare(primary, shadow);
      return;
    }
    compareMember(path, "aggregations", Kind.AGGREGATIONS, primary, shadow);
    if (!(hasHits(primary) && hasHits(shadow))
        && (hasUnknownMembers(primary) || hasUnknownMembers(shadow))) {
      differences.recordIncomparable(Reason.UNSUPPORTED_FORMAT);
    }
  }

  private static boolean hasHits(Map<String, Object> answer) {
    Map<String, Object> found = JsonComparison.asObject(answer.get("hits"));
    return found != null && JsonComparison.asArray(found.get("hits")) != null;
  }

  /** Whether the response has a member that is not compared. */
  private static boolean hasUnknownMembers(Map<String, Object> answer) {
    return !KNOWN_MEMBERS.containsAll(answer.keySet());
  }

  private void compareMember(
      String path, String name, Kind of, Map<String, Object> one, Map<String, Object> other) {
    Map<String, Object> mine = JsonComparison.asObject(one.get(name));
    Map<String, Object> theirs = JsonComparison.asObject(other.get(name));
    if (mine == null || theirs == null) {
      if (mine != null || theirs != null) {
        differences.add(of, childPath(path, name), mine, theirs);
      }
    } else if (of == Kind.HITS) {
      hits.compare(childPath(path, name), mine, theirs);
    } else {
      aggregations.compare(childPath(path, name), mine, theirs);
    }
  }

  /** Why a search response is not comparable; null if it is. */
  private @Nullable Reason incomparableReason(Map<String, Object> answer) {
    if (Boolean.TRUE.equals(answer.get("timed_out"))) {
      return Reason.TIMED_OUT;
    }
    if (partial && Boolean.TRUE.equals(answer.get("terminated_early"))) {
      return Reason.TERMINATED_EARLY;
    }
    Map<String, Object> shards = JsonComparison.asObject(answer.get("_shards"));
    return shards != null && shards.get("failed") instanceof Number failed && failed.intValue() > 0
        ? Reason.FAILED_SHARDS
        : null;
  }

  private void compareCounts(Map<String, Object> primary, Map<String, Object> shadow) {
    Reason unfit = incomparableReason(primary);
    if (unfit == null) {
      unfit = incomparableReason(shadow);
    }
    Object one = primary.get("count");
    Object other = shadow.get("count");
    if (unfit != null) {
      differences.recordIncomparable(unfit);
    } else if (!JsonComparison.isSame(one, other)) {
      differences.add(Kind.COUNT, "count", one, other);
    }
  }

  // Documents.

  private void compareDocuments(
      String path, Map<String, Object> primary, Map<String, Object> shadow) {
    Object one = primary.get("found");
    Object other = shadow.get("found");
    if (!JsonComparison.isSame(one, other)) {
      differences.add(Kind.FOUND, childPath(path, "found"), one, other);
    } else {
      hits.compareContents(path.isEmpty() ? "document" : path, primary, shadow);
    }
  }

  private void compareSource(Object primary, Object shadow) {
    JsonComparison.Mismatch place = JsonComparison.findDifference("_source", primary, shadow);
    if (place != null) {
      differences.add(Kind.SOURCE, place.path(), place.one(), place.other());
    }
  }

  // Multi-searches and multi-gets.

  private void compareItems(String name, Map<String, Object> primary, Map<String, Object> shadow) {
    List<Object> one = JsonComparison.asArray(primary.get(name));
    List<Object> other = JsonComparison.asArray(shadow.get(name));
    if (one == null || other == null || one.size() != other.size()) {
      differences.add(
          Kind.ITEMS, name, one == null ? null : one.size(), other == null ? null : other.size());
      return;
    }
    for (int i = 0; i < one.size(); i++) {
      Map<String, Object> mine = JsonComparison.asObject(one.get(i));
      Map<String, Object> theirs = JsonComparison.asObject(other.get(i));
      if (mine == null || theirs == null) {
        differences.recordIncomparable(Reason.UNSUPPORTED_FORMAT);
      } else {
        compareItem(name + "[" + i + "]", mine, theirs);
      }
    }
  }

  private void compareItem(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    int one = itemStatus(primary);
    int other = itemStatus(shadow);
    if (CapturedResponse.isRejection(one) || CapturedResponse.isRejection(other)) {
      differences.recordIncomparable(Reason.REJECTED);
    } else if (one != other) {
      differences.add(Kind.STATUS, path + ".status", primary.get("status"), shadow.get("status"));
    } else if (primary.containsKey("error") || shadow.containsKey("error")) {
      compareErrors(path, primary, shadow);
    } else if (kind == ReadKind.MSEARCH) {
      compareSearches(path, primary, shadow);
    } else {
      compareDocuments(path, primary, shadow);
    }
  }

  private static int itemStatus(Map<String, Object> item) {
    return item.get("status") instanceof Number status ? status.intValue() : 0;
  }
}
