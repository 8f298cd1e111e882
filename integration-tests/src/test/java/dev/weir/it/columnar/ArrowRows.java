package dev.weir.it.columnar;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;

/**
 * The content of a stream as Arrow's own reader parses it.
 *
 * @param fields its columns
 * @param metadata of its schema
 * @param rows the values of each row, in the order of the columns: text as strings, instants as
 *     numbers
 */
record ArrowRows(
    List<Field> fields, Map<String, String> metadata, List<List<@Nullable Object>> rows) {

  static ArrowRows read(byte[] stream) throws IOException {
    return read(new ByteArrayInputStream(stream));
  }

  /** Reads streams that follow each other, until the end. */
  static List<ArrowRows> readAll(byte[] streams) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(streams);
    List<ArrowRows> all = new ArrayList<>();
    while (in.available() > 0) {
      all.add(read(in));
    }
    return all;
  }

  private static ArrowRows read(InputStream in) throws IOException {
    try (BufferAllocator allocator = new RootAllocator(64 << 20);
        ArrowStreamReader reader = new ArrowStreamReader(in, allocator)) {
      List<Field> fields = reader.getVectorSchemaRoot().getSchema().getFields();
      Map<String, String> metadata =
          new LinkedHashMap<>(reader.getVectorSchemaRoot().getSchema().getCustomMetadata());
      List<List<@Nullable Object>> rows = new ArrayList<>();
      List<Field> said = new ArrayList<>();
      while (reader.loadNextBatch()) {
        List<FieldVector> vectors = reader.getVectorSchemaRoot().getFieldVectors();
        for (int i = 0; i < reader.getVectorSchemaRoot().getRowCount(); i++) {
          List<@Nullable Object> row = new ArrayList<>();
          for (FieldVector vector : vectors) {
            row.add(value(vector, i, reader.getDictionaryVectors()));
          }
          rows.add(row);
        }
      }
      said.addAll(fields);
      return new ArrowRows(said, metadata, rows);
    }
  }

  private static @Nullable Object value(
      ValueVector vector, int i, Map<Long, Dictionary> dictionaries) {
    if (vector.isNull(i)) {
      return null;
    }
    if (vector instanceof ListVector lists) {
      List<@Nullable Object> list = new ArrayList<>();
      for (int at = lists.getElementStartIndex(i); at < lists.getElementEndIndex(i); at++) {
        list.add(value(lists.getDataVector(), at, dictionaries));
      }
      return list;
    }
    if (vector instanceof StructVector struct) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      for (FieldVector member : struct.getChildrenFromFields()) {
        members.put(member.getName(), value(member, i, dictionaries));
      }
      return members;
    }
    DictionaryEncoding words = vector.getField().getDictionary();
    if (words != null) {
      int word = ((Number) vector.getObject(i)).intValue();
      return vectorOf(dictionaries, words).getObject(word).toString();
    }
    if (vector instanceof UInt8Vector unsigned) {
      return unsigned.getObjectNoOverflow(i);
    }
    Object value = vector.getObject(i);
    return value instanceof Text text ? text.toString() : value;
  }

  private static FieldVector vectorOf(
      Map<Long, Dictionary> dictionaries, DictionaryEncoding words) {
    Dictionary dictionary = dictionaries.get(words.getId());
    if (dictionary == null) {
      throw new AssertionError("got no dictionary " + words.getId() + " (expected: one)");
    }
    return dictionary.getVector();
  }

  /** Returns the index of a column. */
  int column(String name) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).getName().equals(name)) {
        return i;
      }
    }
    throw new AssertionError("got no column " + name + " (expected: one of " + fields + ")");
  }
}
