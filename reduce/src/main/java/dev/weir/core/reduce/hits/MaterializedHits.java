package dev.weir.core.reduce.hits;

import static dev.weir.model.JsonBuffer.isPlain;

import dev.weir.model.JsonBuffer;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.search.SearchHit;

/** Plain hits over OpenSearch's hit objects. */
public final class MaterializedHits extends PlainHits {
  private final SearchHit[] hits;
  private final @Nullable BytesReference[] sources;

  private MaterializedHits(SearchHit[] hits, @Nullable BytesReference[] sources) {
    this.hits = hits;
    this.sources = sources;
  }

  /** Returns the hits if each is plain, otherwise null. */
  public static @Nullable MaterializedHits createIfPlain(SearchHit[] hits) {
    @Nullable BytesReference[] sources = new BytesReference[hits.length];
    String plainIndex = null;
    for (int i = 0; i < hits.length; i++) {
      SearchHit hit = hits[i];
      String index = hit.getIndex();
      if (!isPlainHit(hit) || (!index.equals(plainIndex) && !isPlain(index))) {
        return null;
      }
      plainIndex = index;
      if (hit.hasSource()) {
        BytesReference source = hit.getSourceRef();
        if (source.length() == 0 || source.get(0) != '{') {
          return null;
        }
        sources[i] = source;
      }
    }
    return new MaterializedHits(hits, sources);
  }

  private static boolean isPlainHit(SearchHit hit) {
    return hit.getIndex() != null
        && hit.getClusterAlias() == null
        && hit.getId() != null
        && isPlain(hit.getId())
        && hit.getExplanation() == null
        && hit.getNestedIdentity() == null
        && hit.getVersion() == -1
        && hit.getSeqNo() == SequenceNumbers.UNASSIGNED_SEQ_NO
        && !Float.isInfinite(hit.getScore())
        && hit.getMetaFields().isEmpty()
        && hit.getDocumentFields().isEmpty()
        && hit.getHighlightFields().isEmpty()
        && hit.getMatchedQueriesAndScores().isEmpty()
        && hit.getInnerHits() == null
        && arePlainSortValues(hit.getSortValues());
  }

  @Override
  public int count() {
    return hits.length;
  }

  @Override
  public String index(int i) {
    return hits[i].getIndex();
  }

  @Override
  public int idLength(int i) {
    return hits[i].getId().length();
  }

  @Override
  public void writeId(int i, JsonBuffer json) {
    json.writeAscii(hits[i].getId());
  }

  @Override
  public float score(int i) {
    return hits[i].getScore();
  }

  @Override
  public boolean locateSource(int i, BytesRef at) {
    BytesReference source = sources[i];
    if (source == null) {
      return false;
    }
    BytesRef own = source.toBytesRef();
    at.bytes = own.bytes;
    at.offset = own.offset;
    at.length = own.length;
    return true;
  }

  @Override
  public int sourceLength(int i) {
    BytesReference source = sources[i];
    return source == null ? 0 : source.length();
  }

  @Override
  public Object[] sortValues(int i) {
    return hits[i].getSortValues();
  }
}
