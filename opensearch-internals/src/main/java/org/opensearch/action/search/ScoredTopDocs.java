package org.opensearch.action.search;

import java.io.IOException;
import java.util.List;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.NullMarked;
import org.opensearch.common.lucene.Lucene;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * The top documents of a shard by score alone, as numbers in arrays; {@code scoreDocs} is empty.
 * Immutable.
 */
@NullMarked
public final class ScoredTopDocs extends TopDocs {
  private static final ScoreDoc[] NO_SCORE_DOCS = {};

  private final int[] docs;
  private final float[] scores;

  private ScoredTopDocs(TotalHits total, int[] docs, float[] scores) {
    super(total, NO_SCORE_DOCS);
    this.docs = docs;
    this.scores = scores;
  }

  /**
   * Reads what {@code Lucene.readTopDocs} reads: as numbers, or as objects if the documents have
   * other sort values or no scores.
   */
  public static TopDocsAndMaxScore read(StreamInput in) throws IOException {
    if (!in.markSupported()) {
      return Lucene.readTopDocs(in);
    }
    in.mark(Integer.MAX_VALUE);
    if (in.readByte() != 0) {
      in.reset();
      return Lucene.readTopDocs(in);
    }
    TotalHits total = Lucene.readTotalHits(in);
    float best = in.readFloat();
    int count = in.readVInt();
    int[] docs = new int[count];
    float[] scores = new float[count];
    for (int i = 0; i < count; i++) {
      docs[i] = in.readVInt();
      float score = in.readFloat();
      if (Float.isNaN(score)) {
        in.reset();
        return Lucene.readTopDocs(
            in); // not sorted by score, so that the merge algorithms could disagree
      }
      scores[i] = score;
    }
    return new TopDocsAndMaxScore(new ScoredTopDocs(total, docs, scores), best);
  }

  /** Returns the number of documents, for objects and numbers. */
  public static int countDocs(TopDocs docs) {
    return docs instanceof ScoredTopDocs numbers ? numbers.docs.length : docs.scoreDocs.length;
  }

  /** Converts numbers to objects; returns objects unchanged. */
  static TopDocs withScoreDocs(TopDocs docs) {
    return docs instanceof ScoredTopDocs numbers ? numbers.toScoreDocs() : docs;
  }

  private TopDocs toScoreDocs() {
    ScoreDoc[] objects = new ScoreDoc[docs.length];
    for (int i = 0; i < objects.length; i++) {
      objects[i] = new ScoreDoc(docs[i], scores[i]);
    }
    return new TopDocs(totalHits, objects);
  }

  /**
   * Merges the documents of several shards as OpenSearch does with Lucene's {@code TopDocs.merge}:
   * by score, then by shard.
   *
   * @param shards the shard of each of {@code all}, without duplicates
   * @param from how many documents to skip
   * @param size the largest number of documents
   */
  static RankedDocs merge(List<ScoredTopDocs> all, int[] shards, int from, int size) {
    int found = 0;
    for (ScoredTopDocs each : all) {
      found += each.docs.length;
    }
    boolean whole = all.size() == 1 && from == 0; // returns all documents regardless of size
    int first = Math.min(from, found);
    int end = whole ? found : (int) Math.min(found, (long) from + size);
    MergedDocs merged = new MergedDocs(Math.max(0, end - first));
    ScoreHeap queue = new ScoreHeap(all, shards);
    for (int i = 0; i < end; i++) {
      int top = queue.topList();
      int at = queue.takeNext();
      if (i >= first) {
        ScoredTopDocs won = all.get(top);
        merged.set(i - first, shards[top], won.docs[at], won.scores[at]);
      }
    }
    return merged;
  }

  /** A heap of the lists, ordered by each list's next document. */
  private static final class ScoreHeap {
    private final float[][] scores;
    private final int[] shards;
    private final int[] positions;
    private final int[] heap;
    private int size;

    ScoreHeap(List<ScoredTopDocs> all, int[] shards) {
      this.shards = shards;
      this.scores = new float[all.size()][];
      this.positions = new int[all.size()];
      this.heap = new int[all.size()];
      for (int i = 0; i < scores.length; i++) {
        scores[i] = all.get(i).scores;
        if (scores[i].length > 0) {
          heap[size++] = i;
        }
      }
      for (int i = size / 2 - 1; i >= 0; i--) {
        siftDown(i);
      }
    }

    /** Returns the list with the next document. */
    int topList() {
      return heap[0];
    }

    /** Takes the next document and returns its index in its list. */
    int takeNext() {
      int top = heap[0];
      int place = positions[top]++;
      if (positions[top] == scores[top].length) {
        heap[0] = heap[--size];
      }
      siftDown(0);
      return place;
    }

    private void siftDown(int from) {
      int at = from;
      int moved = heap[at];
      for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
          child++;
        }
        if (!isBefore(heap[child], moved)) {
          break;
        }
        heap[at] = heap[child];
        at = child;
      }
      heap[at] = moved;
    }

    private boolean isBefore(int one, int other) {
      float first = scores[one][positions[one]];
      float second = scores[other][positions[other]];
      return first > second || (first == second && shards[one] < shards[other]);
    }
  }

  /** The merged documents of several shards, in order. */
  static final class MergedDocs extends RankedDocs {
    private final int[] shards;
    private final int[] docs;
    private final float[] scores;

    private MergedDocs(int size) {
      shards = new int[size];
      docs = new int[size];
      scores = new float[size];
    }

    private void set(int i, int shard, int doc, float score) {
      shards[i] = shard;
      docs[i] = doc;
      scores[i] = score;
    }

    @Override
    public int size() {
      return docs.length;
    }

    @Override
    public int shardIndex(int i) {
      return shards[i];
    }

    @Override
    public int docId(int i) {
      return docs[i];
    }

    @Override
    public float score(int i) {
      return scores[i];
    }

    @Override
    public Object[] sortFields(int i) {
      throw new IllegalStateException("sortFields() called on documents without sort values");
    }

    @Override
    ScoreDoc[] toScoreDocs() {
      ScoreDoc[] objects = new ScoreDoc[docs.length];
      for (int i = 0; i < objects.length; i++) {
        objects[i] = new ScoreDoc(docs[i], scores[i], shards[i]);
      }
      return objects;
    }
  }
}
