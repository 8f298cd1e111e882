package dev.weir.responses.trim;

import static dev.weir.model.JsonBuffer.toAscii;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.reduce.hits.HitJsonWriter;
import dev.weir.core.reduce.hits.PlainHitWriter;
import dev.weir.core.reduce.hits.PlainHits;
import dev.weir.model.JsonBuffer;
import org.apache.lucene.util.BytesRef;

/**
 * Writes the metadata of plain hits around their documents, without dropped parts, in a node's
 * order. Used by one thread.
 */
final class TrimmedHitWriter implements HitJsonWriter {
  private static final byte[] INDEX = toAscii("\"_index\":\"");
  private static final byte[] ID = toAscii("\"_id\":\"");
  private static final byte[] SCORE = toAscii("\"_score\":");
  private static final byte[] SOURCE = toAscii("\"_source\":");

  /** The bytes of the braces. */
  private static final int MAX_OVERHEAD = 2;

  private final PlainHits hits;
  private final boolean writesIndex;
  private final boolean writesId;
  private final boolean writesScore;
  private final boolean writesSource;
  private final boolean writesSort;
  private final boolean dropsNulls;
  private final PlainHitWriter fullWriter;
  private final JsonBuffer json;

  /** True once the hit's object has a member. */
  private boolean hasMember;

  TrimmedHitWriter(PlainHits hits, ResponseTrimSpec trim) {
    this.hits = hits;
    this.writesIndex = trim.shouldWrite(Part.INDEX);
    this.writesId = trim.shouldWrite(Part.ID);
    this.writesScore = trim.shouldWrite(Part.SCORE);
    this.writesSource = trim.shouldWrite(Part.SOURCE);
    this.writesSort = trim.shouldWrite(Part.SORT);
    this.dropsNulls = trim.shouldWrite(Part.NULLS);
    this.fullWriter = new PlainHitWriter(hits);
    this.json = fullWriter.writer();
  }

  @Override
  public int count() {
    return hits.count();
  }

  @Override
  public JsonBuffer writer() {
    return json;
  }

  @Override
  public void writePrefix(int i) {
    if (i > 0) {
      json.write(',');
    }
    json.write('{');
    hasMember = false;
    if (writesIndex) {
      writeName(INDEX);
      json.writeAscii(hits.index(i));
      json.write('"');
    }
    if (writesId) {
      writeName(ID);
      hits.writeId(i, json);
      json.write('"');
    }
    if (writesScore) {
      float scored = hits.score(i);
      if (dropsNulls || !Float.isNaN(scored)) {
        writeName(SCORE);
        json.write(fullWriter.scoreBytes(i));
      }
    }
    if (writesSource && hits.sourceLength(i) > 0) {
      writeName(SOURCE);
    }
  }

  private void writeName(byte[] quoted) {
    if (hasMember) {
      json.write(',');
    }
    json.write(quoted);
    hasMember = true;
  }

  @Override
  public boolean locateDocument(int i, BytesRef at) {
    return writesSource && hits.locateSource(i, at);
  }

  @Override
  public void writeSuffix(int i) {
    if (writesSort) {
      Object[] values = hits.sortValues(i);
      if (values.length > 0) {
        if (hasMember) {
          json.write(',');
        }
        fullWriter.writeSortValues(values);
      }
    }
    json.write('}');
  }

  @Override
  public long hitLength(int i) {
    int length = i > 0 ? MAX_OVERHEAD + 1 : MAX_OVERHEAD;
    int members = 0;
    if (writesIndex) {
      length += INDEX.length + hits.index(i).length() + 1;
      members++;
    }
    if (writesId) {
      length += ID.length + hits.idLength(i) + 1;
      members++;
    }
    if (writesScore) {
      float scored = hits.score(i);
      if (dropsNulls || !Float.isNaN(scored)) {
        length += SCORE.length + fullWriter.scoreBytes(i).length;
        members++;
      }
    }
    int sourceLength = writesSource ? hits.sourceLength(i) : 0;
    if (sourceLength > 0) {
      length += SOURCE.length;
      members++;
    }
    if (writesSort) {
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
    fullWriter.writeSortValues(values);
    int length = json.length() - from;
    json.truncate(from);
    return length;
  }
}
