package dev.weir.responses.columnar;

import dev.weir.core.reduce.columns.DateText;
import dev.weir.core.reduce.columns.ShardColumn;
import dev.weir.core.reduce.columns.ShardColumns;
import dev.weir.core.reduce.columns.Words;
import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.ValueKinds;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one shard's columns, as the JSON that its hits would have. Each distinct word is written
 * once. Used by one thread.
 */
final class ShardColumnRows {
  private final ShardColumns shard;
  private final QuotedWords ids;
  private final @Nullable QuotedWords[] words;
  private final @Nullable Column[] targets;
  private final Function<String, Column> targetOf;

  /** Words as JSON strings. */
  private static final class QuotedWords {
    private final JsonBuffer json;
    private final int[] starts;

    QuotedWords(@Nullable Words words) {
      int count = words == null ? 0 : words.count();
      this.json = new JsonBuffer(Math.max(16, 16 * count));
      this.starts = new int[count + 1];
      for (int i = 0; words != null && i < count; i++) {
        if (JsonBuffer.isPlain(words.utf8(), words.start(i), words.length(i))) {
          json.writeQuoted(words.utf8(), words.start(i), words.length(i));
        } else {
          json.writeQuoted(words.word(i));
        }
        starts[i + 1] = json.length();
      }
    }

    void addTo(Row row, Column column, int number) {
      row.add(column, json.bytes(), starts[number], starts[number + 1], ValueKinds.STRING);
    }

    void writeTo(JsonBuffer into, int number) {
      into.write(json.bytes(), starts[number], starts[number + 1] - starts[number]);
    }
  }

  /**
   * Creates rows.
   *
   * @param targetOf finds the column of a field
   */
  ShardColumnRows(ShardColumns shard, Function<String, Column> targetOf) {
    this.shard = shard;
    this.targetOf = targetOf;
    this.ids = new QuotedWords(shard.ids());
    int count = shard.columns().size();
    this.words = new QuotedWords[count];
    this.targets = new Column[count];
  }

  /** Adds the id of a row, if the search wants ids. */
  void addId(Row row, Column id, int place) {
    if (shard.ids() != null) {
      ids.addTo(row, id, place);
    }
  }

  /** Adds the values of a row; {@code json} has those that are not words, until it is cleared. */
  void addFields(Row row, int place, JsonBuffer json, JsonValueWriter objects) throws IOException {
    List<ShardColumn> columns = shard.columns();
    for (int i = 0; i < columns.size(); i++) {
      ShardColumn column = columns.get(i);
      int start = column.start(place);
      int count = column.end(place) - start;
      if (count == 0) {
        continue;
      }
      Column target = target(i);
      if (count == 1 && column.kind() == ShardColumn.Kind.STRING) {
        words(i).addTo(row, target, (int) column.value(start));
        continue;
      }
      NumberKind number = count == 1 ? numberKind(column, start) : null;
      if (number != null) {
        row.addNumber(target, number, column.value(start));
        continue;
      }
      int since = json.length();
      int kinds =
          count == 1
              ? write(i, start, json, objects)
              : writeList(i, start, start + count, json, objects);
      if (kinds != ValueKinds.NULL) {
        row.add(target, json, since, kinds);
      }
    }
  }

  /** Returns what a value is if a row can have it as a number; null otherwise. */
  private static @Nullable NumberKind numberKind(ShardColumn column, int at) {
    return switch (column.kind()) {
      case LONG -> NumberKind.LONG;
      case BOOLEAN -> NumberKind.BOOLEAN;
      case DATE -> NumberKind.DATE;
      case DOUBLE ->
          Double.isFinite(Double.longBitsToDouble(column.value(at))) ? NumberKind.DOUBLE : null;
      case STRING, OBJECT -> null;
    };
  }

  private Column target(int i) {
    Column known = targets[i];
    if (known == null) {
      known = targetOf.apply(shard.columns().get(i).name());
      targets[i] = known;
    }
    return known;
  }

  private QuotedWords words(int i) {
    QuotedWords known = words[i];
    if (known == null) {
      known = new QuotedWords(shard.columns().get(i).words());
      words[i] = known;
    }
    return known;
  }

  private int writeList(int i, int start, int end, JsonBuffer json, JsonValueWriter objects)
      throws IOException {
    int kinds = ValueKinds.LIST;
    for (int at = start; at < end; at++) {
      json.write(at == start ? '[' : ',');
      int kind = write(i, at, json, objects);
      kinds |= ValueKinds.hasAny(kind, ValueKinds.LIST) ? ValueKinds.NESTED_LIST : kind;
    }
    json.write(']');
    return kinds;
  }

  /** Writes a value as {@link JsonValueWriter} writes it; returns its kinds. */
  private int write(int i, int at, JsonBuffer json, JsonValueWriter objects) throws IOException {
    ShardColumn column = shard.columns().get(i);
    return switch (column.kind()) {
      case LONG -> {
        json.writeNumber(column.value(at));
        yield ValueKinds.INTEGER;
      }
      case DATE -> {
        byte[] text = new byte[DateText.LENGTH];
        DateText.write(column.value(at), text, 0);
        json.writeQuoted(text, 0, text.length);
        yield ValueKinds.STRING;
      }
      case STRING -> {
        words(i).writeTo(json, (int) column.value(at));
        yield ValueKinds.STRING;
      }
      case DOUBLE, BOOLEAN, OBJECT -> objects.write(column.object(at));
    };
  }
}
