package dev.weir.core.reduce;

import static dev.weir.core.reduce.json.PlainJson.ascii;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.reduce.json.PlainJson;
import org.apache.lucene.util.BytesRef;

/**
 * Writes what stands around the documents of plain hits without what is left out of them, in the
 * order of a node. Used by one thread.
 */
final class TrimmedHitWriter implements HitText {
  private static final byte[] INDEX = ascii("\"_index\":\"");
  private static final byte[] ID = ascii("\"_id\":\"");
  private static final byte[] SCORE = ascii("\"_score\":");
  private static final byte[] SOURCE = ascii("\"_source\":");

  /** Braces. */
  private static final int AROUND = 2;

  private final PlainHits hits;
  private final boolean index;
  private final boolean id;
  private final boolean score;
  private final boolean source;
  private final boolean sort;
  private final boolean nulls;
  private final PlainHitWriter whole;
  private final PlainJson json;

  /** Whether something was put into the hit's object. */
  private boolean begun;

  TrimmedHitWriter(PlainHits hits, AnswerTrim trim) {
    this.hits = hits;
    this.index = trim.keeps(Part.INDEX);
    this.id = trim.keeps(Part.ID);
    this.score = trim.keeps(Part.SCORE);
    this.source = trim.keeps(Part.SOURCE);
    this.sort = trim.keeps(Part.SORT);
    this.nulls = trim.keeps(Part.NULLS);
    this.whole = new PlainHitWriter(hits);
    this.json = whole.json();
  }

  @Override
  public int count() {
    return hits.count();
  }

  @Override
  public PlainJson json() {
    return json;
  }

  @Override
  public void head(int i) {
    if (i > 0) {
      json.put(',');
    }
    json.put('{');
    begun = false;
    if (index) {
      name(INDEX);
      json.putPlain(hits.index(i));
      json.put('"');
    }
    if (id) {
      name(ID);
      hits.putId(i, json);
      json.put('"');
    }
    if (score) {
      float scored = hits.score(i);
      if (nulls || !Float.isNaN(scored)) {
        name(SCORE);
        json.put(whole.score(scored));
      }
    }
    if (source && hits.sourceLength(i) > 0) {
      name(SOURCE);
    }
  }

  private void name(byte[] quoted) {
    if (begun) {
      json.put(',');
    }
    json.put(quoted);
    begun = true;
  }

  @Override
  public boolean document(int i, BytesRef at) {
    return source && hits.source(i, at);
  }

  @Override
  public void tail(int i) {
    if (sort) {
      Object[] values = hits.sortValues(i);
      if (values.length > 0) {
        if (begun) {
          json.put(',');
        }
        whole.sort(values);
      }
    }
    json.put('}');
  }

  @Override
  public long length(int i) {
    int length = i > 0 ? AROUND + 1 : AROUND;
    int members = 0;
    if (index) {
      length += INDEX.length + hits.index(i).length() + 1;
      members++;
    }
    if (id) {
      length += ID.length + hits.idLength(i) + 1;
      members++;
    }
    if (score) {
      float scored = hits.score(i);
      if (nulls || !Float.isNaN(scored)) {
        length += SCORE.length + whole.score(scored).length;
        members++;
      }
    }
    int sourceLength = source ? hits.sourceLength(i) : 0;
    if (sourceLength > 0) {
      length += SOURCE.length;
      members++;
    }
    if (sort) {
      int sorted = sortLength(hits.sortValues(i));
      length += sorted;
      members += sorted > 0 ? 1 : 0;
    }
    return (long) length + Math.max(0, members - 1) + sourceLength;
  }

  private int sortLength(Object[] values) {
    if (values.length == 0) {
      return 0;
    }
    int from = json.length();
    whole.sort(values);
    int length = json.length() - from;
    json.cut(from);
    return length;
  }
}
