package org.opensearch.action.search;

import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.NullMarked;

/** The documents that won in a search, in order: objects, or numbers in arrays. Immutable. */
@NullMarked
public abstract sealed class RankedDocs permits RankedDocs.ScoreDocList, ScoredTopDocs.MergedDocs {
  /** None. */
  public static final RankedDocs EMPTY = of(new ScoreDoc[0]);

  /** Those that are objects already; not copied. */
  public static RankedDocs of(ScoreDoc[] docs) {
    return new ScoreDocList(docs);
  }

  /** How many there are. */
  public abstract int size();

  /** Of which shard one is. */
  public abstract int shardIndex(int i);

  /** Which one of its shard it is. */
  public abstract int docId(int i);

  /** Its score. */
  public abstract float score(int i);

  /** What it is sorted by, where that is not the score alone. */
  public abstract Object[] sortFields(int i);

  /** All as objects. */
  abstract ScoreDoc[] toScoreDocs();

  /** Those that were read as objects. */
  static final class ScoreDocList extends RankedDocs {
    private final ScoreDoc[] docs;

    private ScoreDocList(ScoreDoc[] docs) {
      this.docs = docs;
    }

    @Override
    public int size() {
      return docs.length;
    }

    @Override
    public int shardIndex(int i) {
      return docs[i].shardIndex;
    }

    @Override
    public int docId(int i) {
      return docs[i].doc;
    }

    @Override
    public float score(int i) {
      return docs[i].score;
    }

    @Override
    public Object[] sortFields(int i) {
      return ((FieldDoc) docs[i]).fields;
    }

    @Override
    ScoreDoc[] toScoreDocs() {
      return docs;
    }
  }
}
