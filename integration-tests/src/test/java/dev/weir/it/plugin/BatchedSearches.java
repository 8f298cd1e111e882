package dev.weir.it.plugin;

import java.util.List;

/** The bodies of searches whose queries go to a node in one message. */
final class BatchedSearches {
  static final String SORTED = "{\"size\": 300, \"sort\": [{\"n\": \"desc\"}]}";

  static final List<String> BODIES =
      List.of(
          SORTED,
          "{\"size\": 10}",
          "{\"size\": 50, \"query\": {\"match\": {\"text\": \"seven\"}}, \"explain\": true}",
          """
          {"size": 40, "_source": ["n", "inner.*"], "docvalue_fields": ["n", "key"],
           "stored_fields": ["kept", "_source"], "fields": ["text"], "version": true,
           "seq_no_primary_term": true, "track_scores": true, "sort": ["key", {"n": "desc"}],
           "query": {"match": {"text": "even"}},
           "highlight": {"fields": {"text": {}}}}
          """,
          """
          {"size": 60, "sort": ["n"], "query": {"nested": {"path": "inner",
            "query": {"range": {"inner.i": {"gte": 2}}}, "inner_hits": {"size": 2}}}}
          """,
          """
          {"size": 20, "collapse": {"field": "group",
            "inner_hits": {"name": "top", "size": 2, "sort": ["n"]}}, "sort": ["n"],
           "aggs": {"groups": {"terms": {"field": "group"}}}}
          """,
          """
          {"size": 300, "sort": ["n"], "script_fields": {"odd": {"script": {"source":
            "if (doc['n'].value == 7) { throw new IllegalArgumentException('seven'); } doc['n'].value % 2"}}}}
          """);

  /** Searches of which nodes leave hits of their shards out. */
  static final List<String> REDUCED =
      List.of(
          "{\"size\": 10}",
          "{\"from\": 7, \"size\": 5, \"track_total_hits\": false}",
          "{\"size\": 1, \"track_total_hits\": 20, \"query\": {\"match\": {\"text\": \"number\"}}}",
          """
          {"from": 3, "size": 12, "track_total_hits": true, "min_score": 2, "query": {"script_score":
            {"query": {"match_all": {}}, "script": {"source": "doc['n'].value % 5"}}},
           "aggs": {"groups": {"terms": {"field": "group"}}}}
          """,
          """
          {"size": 10, "aggs": {"n": {"percentiles": {"field": "n"}}, "keys": {"cardinality": {"field": "key"}},
            "groups": {"terms": {"field": "group"}, "aggs": {
              "last": {"top_hits": {"size": 2, "sort": [{"n": "desc"}], "_source": ["n"]}}}}}}
          """,
          """
          {"size": 8, "explain": true, "query": {"match": {"text": "seven number"}},
           "highlight": {"fields": {"text": {}}},
           "rescore": {"window_size": 20, "query": {"rescore_query": {"term": {"group": "group-1"}}}}}
          """,
          """
          {"size": 4, "query": {"script": {"script": {"source":
            "if (doc['n'].value == 7) { throw new IllegalArgumentException('seven'); } true"}}}}
          """);

  /** Searches sorted by fields of which nodes leave hits out, with equal values in many shards. */
  static final List<String> REDUCED_SORTS =
      List.of(
          "{\"size\": 5, \"sort\": [{\"n\": \"desc\"}]}",
          "{\"from\": 2, \"size\": 4, \"sort\": [{\"group\": \"desc\"}], \"track_total_hits\":"
              + " true}",
          "{\"size\": 6, \"sort\": [\"key\", \"_score\", {\"n\": \"desc\"}], \"track_scores\":"
              + " true}",
          "{\"size\": 3, \"sort\": [\"n\"], \"search_after\": [100], \"track_total_hits\": false}",
          "{\"size\": 3, \"sort\": [{\"none\": {\"unmapped_type\": \"long\"}}]}",
          """
          {"size": 4, "sort": [{"inner.i": {"order": "desc", "nested": {"path": "inner"}}}],
           "aggs": {"groups": {"terms": {"field": "group"}}}}
          """);

  /** Searches whose aggregations nodes merge. */
  static final List<String> MERGED =
      List.of(
          """
          {"size": 0, "aggs": {"groups": {"terms": {"field": "group"}, "aggs": {
            "most": {"max": {"field": "n"}}, "count": {"value_count": {"field": "n"}}}}}}
          """,
          """
          {"size": 3, "aggs": {"keys": {"terms": {"field": "key", "size": 2, "shard_size": 2}},
            "tens": {"histogram": {"field": "n", "interval": 10, "min_doc_count": 0}, "aggs": {
              "least": {"min": {"field": "n"}}}}}}
          """,
          """
          {"size": 2, "sort": ["n"], "query": {"match": {"text": "seven"}}, "aggs": {
            "last": {"terms": {"field": "n", "size": 4, "shard_size": 5, "order": {"_key": "desc"}}},
            "least": {"min": {"field": "n"}}}}
          """,
          """
          {"size": 4, "query": {"script": {"script": {"source":
            "if (doc['n'].value == 7) { throw new IllegalArgumentException('seven'); } true"}}},
           "aggs": {"groups": {"terms": {"field": "group", "order": {"most": "desc"}}, "aggs": {
             "most": {"max": {"field": "n"}}}}}}
          """,
          """
          {"size": 20, "collapse": {"field": "group"}, "sort": ["n"],
           "aggs": {"groups": {"terms": {"field": "group"}}}}
          """);

  /** Searches whose aggregations nodes leave to the gateway. */
  static final List<String> NOT_MERGED =
      List.of(
          """
          {"size": 0, "aggs": {"tenths": {"sum": {"script": {"source": "doc['n'].value / 10.0"}}},
            "keys": {"terms": {"field": "key", "size": 2, "show_term_doc_count_error": true}}}}
          """,
          """
          {"size": 0, "aggs": {"groups": {"terms": {"field": "group"}, "aggs": {
            "n": {"stats": {"field": "n"}}, "a": {"avg": {"field": "n"}}}}}}
          """);

  /** Merged where the shards of a response have few terms together. */
  static final String MERGED_AT_TIMES =
      """
      {"size": 0, "aggs": {"n": {"terms": {"field": "n", "size": 7, "shard_size": 15}}}}
      """;

  /** All documents, not sorted: the shards' queries go out in one round. */
  static final String UNSORTED = "{\"size\": 300}";

  /** One shard fails in the query phase. */
  static final String FAILING =
      """
      {"size": 300, "query": {"script": {"script": {"source":
        "if (doc['n'].value == 7) { throw new IllegalArgumentException('seven'); } true"}}}}
      """;

  private BatchedSearches() {}
}
