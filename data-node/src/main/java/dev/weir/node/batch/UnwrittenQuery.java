package dev.weir.node.batch;

import java.util.Arrays;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.search.query.QuerySearchResult;

/**
 * The result of a query that is not written yet, because it may be reduced. Confined to the thread
 * that reduces it.
 *
 * @param shardIndex the shard's place in the results of the search
 * @param estimatedBytes about how many bytes it takes with all hits
 */
record UnwrittenQuery(int shardIndex, QuerySearchResult result, long estimatedBytes) {
  /** Returns its hits. */
  TopDocs hits() {
    return result.topDocs().topDocs;
  }

  /** Keeps only the first hits; without hits, forgets what only a fetch needs. */
  void keep(int first) {
    TopDocsAndMaxScore all = result.topDocs();
    ScoreDoc[] kept = Arrays.copyOf(all.topDocs.scoreDocs, first);
    result.topDocs(
        new TopDocsAndMaxScore(new TopDocs(all.topDocs.totalHits, kept), all.maxScore),
        result.sortValueFormats());
    if (first == 0) {
      result.setShardSearchRequest(null);
    }
  }
}
