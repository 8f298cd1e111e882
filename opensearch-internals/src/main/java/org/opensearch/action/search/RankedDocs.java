package org.opensearch.action.search;

import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.NullMarked;

/** The top documents of a search, in order: objects, or numbers in arrays. Immutable. */
@NullMarked
public abstract sealed class RankedDocs permits RankedDocs.ScoreDocList, ScoredTopDocs.MergedDocs {
  /** No documents. */
  public static final RankedDocs EMPTY = of(new ScoreDoc[0]);

  /** Wraps objects without a copy. */
  public static RankedDocs of(ScoreDoc[] docs) {
    return new ScoreDocList(docs);
  }

  /** Returns the number of documents. */
  public abstract int size();

  /** Returns the shard of a document. */
  public abstract int shardIndex(int i);

  /** Returns Lucene's id of a document within its shard. */
  public abstract int docId(int i);

  /** Returns the score of a document. */
  public abstract float score(int i);

  /** Returns the sort values of a document, if it is not sorted by score alone. */
  public abstract Object[] sortFields(int i);

  /** Returns all documents as objects. */
  abstract ScoreDoc[] toScoreDocs();

  /** Documents that were read as objects. */
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
