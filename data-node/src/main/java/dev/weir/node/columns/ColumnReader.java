package dev.weir.node.columns;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.util.ArrayUtil;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.index.fielddata.IndexFieldData;
import org.opensearch.index.fielddata.LeafFieldData;
import org.opensearch.index.fielddata.LeafOrdinalsFieldData;
import org.opensearch.index.fielddata.SortedNumericDoubleValues;
import org.opensearch.index.fielddata.plain.AbstractLeafOrdinalsFieldData;
import org.opensearch.index.fielddata.plain.LeafDoubleFieldData;
import org.opensearch.index.fielddata.plain.LeafLongFieldData;
import org.opensearch.index.mapper.DocValueFetcher;
import org.opensearch.index.mapper.MappedFieldType;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.fetch.FetchContext;
import org.opensearch.search.fetch.subphase.FieldAndFormat;
import org.opensearch.search.internal.SearchContext;

/**
 * Reads the doc values of a search's documents column by column, and segment by segment in the
 * order of the index. It takes each value from where {@code FetchDocValuesPhase} takes it, and
 * formats it by the same format: whole numbers, decimals and plain dates as numbers, words once for
 * each distinct one, all others as the objects that a hit would have. Used by one thread.
 */
final class ColumnReader {
  private final SearchContext context;

  private final List<LeafReaderContext> leaves;

  /** The documents in the order of the index: the document's id in the high half, then its row. */
  private final long[] docs;

  /** Where the documents of a segment are in {@link #docs}. */
  private int first;

  private int behind;

  /** A field to read. */
  private record Field(
      IndexFieldData<?> data, DocValueFormat format, boolean isPlainDate, ColumnValues into) {}

  ColumnReader(SearchContext context) {
    this.context = context;
    this.leaves = context.searcher().getIndexReader().leaves();
    this.docs = new long[context.docIdsToLoadSize()];
    for (int row = 0; row < docs.length; row++) {
      docs[row] = (long) context.docIdsToLoad()[context.docIdsToLoadFrom() + row] << 32 | row;
    }
    Arrays.sort(docs);
  }

  /** Returns the columns; null if a document has more stored metadata than its id. */
  @Nullable FetchedColumns read() throws IOException {
    List<Field> fields = fields();
    String[] ids =
        context.storedFieldsContext() == null || context.storedFieldsContext().fetchFields()
            ? new String[docs.length]
            : null;
    for (LeafReaderContext leaf : leaves) {
      int end = leaf.docBase + leaf.reader().maxDoc();
      first = behind;
      while (behind < docs.length && docs[behind] >>> 32 < end) {
        behind++;
      }
      if (first == behind) {
        continue;
      }
      for (Field field : fields) {
        checkCancelled();
        read(field, leaf);
      }
      if (ids != null && !readIds(leaf, ids)) {
        return null;
      }
    }
    return new FetchedColumns(docs.length, ids, fields.stream().map(Field::into).toList());
  }

  private void checkCancelled() {
    if (context.isCancelled()) {
      throw new TaskCancelledException("cancelled task"); // the fetch phase says it again
    }
  }

  private List<Field> fields() {
    FetchContext fetch = new FetchContext(context);
    List<Field> fields = new ArrayList<>();
    for (FieldAndFormat named : fetch.docValuesContext().fields()) {
      MappedFieldType type = context.mapperService().fieldType(named.field);
      if (type == null) {
        continue;
      }
      String pattern = named.format;
      DocValueFormat format = type.docValueFormat(pattern, null);
      fields.add(
          new Field(
              fetch.searchLookup().doc().getForField(type),
              format,
              pattern == null && DateTexts.isPlain(type, format),
              new ColumnValues(named.field, docs.length)));
    }
    return fields;
  }

  private void read(Field field, LeafReaderContext leaf) throws IOException {
    LeafFieldData data = field.data.load(leaf);
    switch (data) {
      case LeafLongFieldData longs
          when field.isPlainDate || field.format.equals(DocValueFormat.RAW) ->
          readLongs(longs.getLongValues(), leaf.docBase, field);
      case LeafDoubleFieldData doubles when field.format.equals(DocValueFormat.RAW) ->
          readDoubles(doubles.getDoubleValues(), leaf.docBase, field.into);
      case AbstractLeafOrdinalsFieldData words -> readWords(words, leaf.docBase, field);
      default -> readObjects(data.getLeafValueFetcher(field.format), leaf.docBase, field.into);
    }
  }

  private void readLongs(SortedNumericDocValues longs, int docBase, Field field)
      throws IOException {
    ColumnValues into = field.into;
    for (int i = first; i < behind; i++) {
      if (longs.advanceExact((int) (docs[i] >>> 32) - docBase)) {
        into.startRow((int) docs[i]);
        for (int left = longs.docValueCount(); left > 0; left--) {
          if (field.isPlainDate) {
            into.addDate(longs.nextValue(), field.format);
          } else {
            into.addLong(longs.nextValue());
          }
        }
      }
    }
  }

  private void readDoubles(SortedNumericDoubleValues doubles, int docBase, ColumnValues into)
      throws IOException {
    for (int i = first; i < behind; i++) {
      if (doubles.advanceExact((int) (docs[i] >>> 32) - docBase)) {
        into.startRow((int) docs[i]);
        for (int left = doubles.docValueCount(); left > 0; left--) {
          into.addDouble(doubles.nextValue());
        }
      }
    }
  }

  /**
   * Reads ordinals, then the word of each distinct one in ascending order: a segment keeps words in
   * compressed blocks, each of which is then decompressed once.
   */
  private void readWords(LeafOrdinalsFieldData data, int docBase, Field field) throws IOException {
    SortedSetDocValues words = data.getOrdinalsValues();
    ColumnValues into = field.into;
    long[] ordinals = new long[behind - first];
    int[] counts = new int[behind - first];
    int size = 0;
    for (int i = first; i < behind; i++) {
      if (words.advanceExact((int) (docs[i] >>> 32) - docBase)) {
        int count = words.docValueCount();
        counts[i - first] = count;
        ordinals = ArrayUtil.grow(ordinals, size + count);
        for (int left = count; left > 0; left--) {
          ordinals[size++] = words.nextOrd();
        }
      }
    }
    long[] distinct = Arrays.stream(ordinals, 0, size).sorted().distinct().toArray();
    int[] numbers = new int[distinct.length];
    for (int i = 0; i < distinct.length; i++) {
      numbers[i] = into.wordNumber((String) field.format.format(words.lookupOrd(distinct[i])));
    }
    int at = 0;
    for (int i = first; i < behind; i++) {
      if (counts[i - first] > 0) {
        into.startRow((int) docs[i]);
        for (int left = counts[i - first]; left > 0; left--) {
          into.addWord(numbers[Arrays.binarySearch(distinct, ordinals[at++])]);
        }
      }
    }
  }

  private void readObjects(DocValueFetcher.Leaf values, int docBase, ColumnValues into)
      throws IOException {
    for (int i = first; i < behind; i++) {
      if (values.advanceExact((int) (docs[i] >>> 32) - docBase)) {
        into.startRow((int) docs[i]);
        for (int left = values.docValueCount(); left > 0; left--) {
          into.addObject(values.nextValue());
        }
      }
    }
  }

  private boolean readIds(LeafReaderContext leaf, String[] ids) throws IOException {
    int span = (int) ((docs[behind - 1] >>> 32) - (docs[first] >>> 32));
    StoredIds stored = new StoredIds(leaf.reader(), behind - first, span);
    for (int i = first; i < behind; i++) {
      if ((i & 127) == 0) {
        checkCancelled();
      }
      String id = stored.read((int) (docs[i] >>> 32) - leaf.docBase);
      if (id == null) {
        return false;
      }
      ids[(int) docs[i]] = id;
    }
    return true;
  }
}
