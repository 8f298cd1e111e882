package dev.weir.responses.columnar.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.DictionaryKind;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.Null;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.opensearch.core.common.bytes.BytesReference;

/** Builds the first message of a stream, the schema. Used once, by one thread. */
final class SchemaMessageBuilder {
  /** The metadata key of a column's OpenSearch type. */
  private static final String TYPE = "opensearch.type";

  private static final ValueLayout COORDINATE = ValueLayout.of(ArrowType.FLOAT64, false);

  private final FlatBufferBuilder builder = new FlatBufferBuilder(2048);
  private final List<Integer> fields = new ArrayList<>();

  /**
   * Adds a column.
   *
   * @param openSearchType the column's type in OpenSearch's terms
   * @param dictionary the id of the column's dictionary, for dictionary types
   */
  void addColumn(String name, String openSearchType, ValueLayout layout, long dictionary) {
    fields.add(createField(name, openSearchType, layout, dictionary));
  }

  private int createField(String name, String openSearchType, ValueLayout layout, long dictionary) {
    int metadata =
        Field.createCustomMetadataVector(builder, new int[] {createKeyValue(TYPE, openSearchType)});
    if (!layout.isList()) {
      return createField(name, layout, dictionary, metadata);
    }
    int element = createField("item", layout, dictionary, 0);
    int children = Field.createChildrenVector(builder, new int[] {element});
    int text = builder.createString(name);
    org.apache.arrow.flatbuf.List.startList(builder);
    int what = org.apache.arrow.flatbuf.List.endList(builder);
    Field.startField(builder);
    Field.addName(builder, text);
    Field.addNullable(builder, true);
    Field.addTypeType(builder, Type.List);
    Field.addType(builder, what);
    Field.addChildren(builder, children);
    Field.addCustomMetadata(builder, metadata);
    return Field.endField(builder);
  }

  /** Creates a field, or the element of lists. */
  private int createField(String name, ValueLayout layout, long dictionary, int metadata) {
    ArrowType type = layout.type();
    int[] members =
        switch (type) {
          case STRUCT ->
              layout.members().stream()
                  .mapToInt(member ->
                      createField(member.key(), member.column().type(), member.layout(), 0))
                  .toArray();
          case POINT ->
              new int[] {
                createField(PointVector.LATITUDE, COORDINATE, 0, 0),
                createField(PointVector.LONGITUDE, COORDINATE, 0, 0)
              };
          default -> new int[0];
        };
    int text = builder.createString(name);
    int children = Field.createChildrenVector(builder, members);
    int what = createType(type);
    int words = type == ArrowType.DICTIONARY_TEXT ? createDictionaryEncoding(dictionary) : 0;
    Field.startField(builder);
    Field.addName(builder, text);
    Field.addNullable(builder, true);
    Field.addTypeType(builder, typeCode(type));
    Field.addType(builder, what);
    Field.addChildren(builder, children);
    if (words != 0) {
      Field.addDictionary(builder, words);
    }
    if (metadata != 0) {
      Field.addCustomMetadata(builder, metadata);
    }
    return Field.endField(builder);
  }

  private int createDictionaryEncoding(long id) {
    int index = Int.createInt(builder, 32, true);
    return DictionaryEncoding.createDictionaryEncoding(
        builder, id, index, false, DictionaryKind.DenseArray);
  }

  private static byte typeCode(ArrowType type) {
    return switch (type) {
      case INT8, INT16, INT32, INT64, UINT64 -> Type.Int;
      case FLOAT32, FLOAT64 -> Type.FloatingPoint;
      case BOOL -> Type.Bool;
      case MILLIS, NANOS -> Type.Timestamp;
      case DICTIONARY_TEXT, TEXT, JSON -> Type.Utf8;
      case POINT, STRUCT -> Type.Struct_;
      case NULL -> Type.Null;
    };
  }

  private int createType(ArrowType type) {
    return switch (type) {
      case INT8, INT16, INT32, INT64 -> Int.createInt(builder, 8 * type.byteWidth(), true);
      case UINT64 -> Int.createInt(builder, 64, false);
      case FLOAT32 -> FloatingPoint.createFloatingPoint(builder, Precision.SINGLE);
      case FLOAT64 -> FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE);
      case MILLIS -> createTimestamp(TimeUnit.MILLISECOND);
      case NANOS -> createTimestamp(TimeUnit.NANOSECOND);
      case BOOL -> {
        Bool.startBool(builder);
        yield Bool.endBool(builder);
      }
      case DICTIONARY_TEXT, TEXT, JSON -> {
        Utf8.startUtf8(builder);
        yield Utf8.endUtf8(builder);
      }
      case POINT, STRUCT -> {
        Struct_.startStruct_(builder);
        yield Struct_.endStruct_(builder);
      }
      case NULL -> {
        Null.startNull(builder);
        yield Null.endNull(builder);
      }
    };
  }

  private int createTimestamp(short unit) {
    int zone = builder.createString("UTC");
    return Timestamp.createTimestamp(builder, unit, zone);
  }

  private int createKeyValue(String key, String value) {
    return MessageEncoder.encodeKeyValue(builder, key, value);
  }

  /**
   * Builds the message.
   *
   * @param metadata custom metadata of the schema
   */
  BytesReference build(Map<String, String> metadata) {
    int[] entries =
        metadata.entrySet().stream()
            .mapToInt(e -> createKeyValue(e.getKey(), e.getValue()))
            .toArray();
    int customMetadata = Schema.createCustomMetadataVector(builder, entries);
    int[] all = fields.stream().mapToInt(Integer::intValue).toArray();
    int columns = Schema.createFieldsVector(builder, all);
    Schema.startSchema(builder);
    Schema.addEndianness(builder, Endianness.Little);
    Schema.addFields(builder, columns);
    Schema.addCustomMetadata(builder, customMetadata);
    return MessageEncoder.encodeMessage(
        builder, MessageHeader.Schema, Schema.endSchema(builder), 0);
  }
}
