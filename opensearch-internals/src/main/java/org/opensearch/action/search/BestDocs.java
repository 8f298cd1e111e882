package org.opensearch.action.search;

import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.NullMarked;

/** The documents that won in a search, in order: objects, or numbers in arrays. Immutable. */
@NullMarked
public abstract sealed class BestDocs permits BestDocs.Objects, ScoredDocs.Merged {
  /** None. */
  public static final BestDocs NONE = of(new ScoreDoc[0]);

  /** Those that are objects already; not copied. */
  public static BestDocs of(ScoreDoc[] docs) {
    return new Objects(docs);
  }

  /** How many there are. */
  public abstract int size();

  /** Of which shard one is. */
  public abstract int shard(int i);

  /** Which one of its shard it is. */
  public abstract int doc(int i);

  /** Its score. */
  public abstract float score(int i);

  /** What it is sorted by, where that is not the score alone. */
  public abstract Object[] fields(int i);

  /** All as objects. */
  abstract ScoreDoc[] objects();

  /** Those that were read as objects. */
  static final class Objects extends BestDocs {
    private final ScoreDoc[] docs;

    private Objects(ScoreDoc[] docs) {
      this.docs = docs;
    }

    @Override
    public int size() {
      return docs.length;
    }

    @Override
    public int shard(int i) {
      return docs[i].shardIndex;
    }

    @Override
    public int doc(int i) {
      return docs[i].doc;
    }

    @Override
    public float score(int i) {
      return docs[i].score;
    }

    @Override
    public Object[] fields(int i) {
      return ((FieldDoc) docs[i]).fields;
    }

    @Override
    ScoreDoc[] objects() {
      return docs;
    }
  }
}
