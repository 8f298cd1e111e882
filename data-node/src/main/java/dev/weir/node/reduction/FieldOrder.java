package dev.weir.node.reduction;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.search.FieldComparator;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.Pruning;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.Lucene;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * The order of hits by their sort values, as a coordinating node compares them: with the sort
 * fields that it reads from a shard's result. Used by one thread; equal to another one with the
 * same fields.
 */
public final class FieldOrder implements Comparator<ScoreDoc> {
  private static final Set<SortField.Type> PLAIN =
      EnumSet.of(
          SortField.Type.INT,
          SortField.Type.LONG,
          SortField.Type.FLOAT,
          SortField.Type.DOUBLE,
          SortField.Type.STRING,
          SortField.Type.SCORE,
          SortField.Type.DOC);

  private final List<SortField> fields;
  private final List<FieldComparator<?>> comparators;

  private FieldOrder(List<SortField> fields) {
    this.fields = fields;
    this.comparators = new ArrayList<>(fields.size());
    for (SortField field : fields) {
      comparators.add(field.getComparator(1, Pruning.NONE));
    }
  }

  /**
   * Returns the order of a shard's hits; null if they have no sort values, or values that are not
   * numbers or strings, or if they are not in this order.
   */
  public static @Nullable FieldOrder of(TopDocs found) {
    if (!(found instanceof TopFieldDocs sorted) || !found.getClass().equals(TopFieldDocs.class)) {
      return null;
    }
    List<SortField> fields = new ArrayList<>(sorted.fields.length);
    for (SortField field : sorted.fields) {
      SortField sent = asSent(field);
      if (!sent.getClass().equals(SortField.class) || !PLAIN.contains(sent.getType())) {
        return null;
      }
      fields.add(sent);
    }
    FieldOrder order = new FieldOrder(fields);
    return order.isOrdered(sorted.scoreDocs) ? order : null;
  }

  /** Returns a field as other nodes see it: without the source of its values. */
  private static SortField asSent(SortField field) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      Lucene.writeSortField(out, field);
      try (StreamInput in = out.bytes().streamInput()) {
        return Lucene.readSortField(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // bytes in memory that this node has written
    }
  }

  private boolean isOrdered(ScoreDoc[] hits) {
    try {
      for (int i = 0; i < hits.length; i++) {
        if (!(hits[i] instanceof FieldDoc own)
            || own.fields == null
            || own.fields.length != fields.size()
            || compare(hits[Math.max(0, i - 1)], own) > 0) {
          return false;
        }
      }
      return true;
    } catch (ClassCastException | NullPointerException other) {
      return false; // values that the fields don't describe
    }
  }

  @Override
  public int compare(ScoreDoc one, ScoreDoc other) {
    @Nullable Object[] values = ((FieldDoc) one).fields;
    @Nullable Object[] others = ((FieldDoc) other).fields;
    for (int i = 0; i < comparators.size(); i++) {
      int compared = compare(comparators.get(i), values[i], others[i]);
      if (compared != 0) {
        return fields.get(i).getReverse() ? -Integer.signum(compared) : compared;
      }
    }
    return 0;
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the field made the values; null is one of them
  private static <V> int compare(
      FieldComparator<V> comparator, @Nullable Object one, @Nullable Object other) {
    return comparator.compareValues((V) one, (V) other);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FieldOrder order && fields.equals(order.fields);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(fields.toArray());
  }
}
