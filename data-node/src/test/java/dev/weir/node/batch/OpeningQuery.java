package dev.weir.node.batch;

import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;

/** A query that opens a search context, with a text that tells it from others. */
final class OpeningQuery extends ShardSearchRequest {
  private final String text;

  OpeningQuery(String text, TaskId parent) {
    super(
        new OriginalIndices(new String[] {"i"}, IndicesOptions.strictExpandOpen()),
        new SearchRequest().allowPartialSearchResults(true),
        new ShardId("i", "u", 0),
        2,
        AliasFilter.EMPTY,
        1,
        0,
        null,
        new String[0]);
    this.text = text;
    setParentTask(parent);
  }

  String text() {
    return text;
  }
}
