package dev.weir.it.columnar;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** Compares values in other formats with those of JSON. */
final class ColumnValueMatcher {
  private static final long NANOS = 1_000_000_000;

  private ColumnValueMatcher() {}

  /** Returns whether a cell of CSV equals a value of JSON. */
  static boolean matchesCsv(@Nullable Object json, @Nullable String cell) {
    return switch (json) {
      case null -> cell == null;
      case String text -> text.equals(cell);
      case Number number -> cell != null && same(number, cell);
      case Boolean truth -> truth.toString().equals(cell);
      default -> cell != null && json.equals(parsed(cell));
    };
  }

  /** Returns whether a value of Arrow equals a value of JSON. */
  static boolean matchesArrow(@Nullable Object json, @Nullable Object arrow, Field field) {
    return matchesArrow(json, arrow, field, field.getName());
  }

  private static boolean matchesArrow(
      @Nullable Object json, @Nullable Object arrow, Field field, String column) {
    if (json == null || arrow == null) {
      return json == null && arrow == null;
    }
    if (field.getType() instanceof ArrowType.Struct) {
      return matchesStruct(json, (Map<?, ?>) arrow, field);
    }
    if (field.getType() instanceof ArrowType.List) {
      List<?> expected =
          json instanceof List<?> list && !isPoint(list, field) ? list : List.of(json);
      List<?> got = (List<?>) arrow;
      if (expected.size() != got.size()) {
        return false;
      }
      for (int i = 0; i < got.size(); i++) {
        if (!matchesArrow(expected.get(i), got.get(i), field.getChildren().get(0), column)) {
          return false;
        }
      }
      return true;
    }
    if (field.getDictionary() != null) {
      return text(json, arrow.toString());
    }
    if (field.getType() instanceof ArrowType.Timestamp instant) {
      return instant(json, column, instant.getUnit()) == ((Number) arrow).longValue();
    }
    return switch (field.getType()) {
      case ArrowType.FloatingPoint p when p.getPrecision() == FloatingPointPrecision.SINGLE ->
          Float.parseFloat(json.toString()) == ((Number) arrow).floatValue();
      case ArrowType.FloatingPoint _ ->
          Double.parseDouble(json.toString()) == ((Number) arrow).doubleValue();
      case ArrowType.Int _ ->
          new BigDecimal(json.toString()).compareTo(new BigDecimal(arrow.toString())) == 0;
      case ArrowType.Bool _ -> json.toString().equals(arrow.toString());
      default -> text(json, arrow.toString());
    };
  }

  /** Returns whether a list is one point instead of a list of points. */
  private static boolean isPoint(List<?> list, Field field) {
    List<Field> members = field.getChildren().getFirst().getChildren();
    return isPointType(members) && !list.isEmpty() && list.getFirst() instanceof Number;
  }

  private static boolean isPointType(List<Field> members) {
    return members.stream().map(Field::getName).toList().equals(List.of("lat", "lon"));
  }

  private static boolean matchesStruct(Object json, Map<?, ?> arrow, Field field) {
    if (isPointType(field.getChildren())) {
      return point(json).equals(arrow);
    }
    if (!(json instanceof Map<?, ?> object)
        || !field.getChildren().stream()
            .map(Field::getName)
            .toList()
            .containsAll(object.keySet())) {
      return false;
    }
    return field.getChildren().stream()
        .allMatch(member ->
            matchesArrow(
                object.get(member.getName()),
                arrow.get(member.getName()),
                member,
                member.getName()));
  }

  /** Returns a point in any notation. */
  private static Map<String, Double> point(Object json) {
    return switch (json) {
      case Map<?, ?> geo when geo.get("coordinates") instanceof List<?> list -> point(list);
      case Map<?, ?> object -> point(object.get("lat"), object.get("lon"));
      case List<?> list -> point(list.get(1), list.get(0));
      default -> {
        String[] parts = json.toString().split(",");
        yield point(parts[0], parts[1]);
      }
    };
  }

  private static Map<String, Double> point(@Nullable Object latitude, @Nullable Object longitude) {
    return Map.of(
        "lat",
        Double.parseDouble(String.valueOf(latitude).trim()),
        "lon",
        Double.parseDouble(String.valueOf(longitude).trim()));
  }

  private static boolean text(Object json, String text) {
    if (json instanceof String && json.equals(text)) {
      return true;
    }
    return json instanceof Number number ? same(number, text) : json.equals(parsed(text));
  }

  private static boolean same(Number number, String text) {
    try {
      return new BigDecimal(number.toString()).compareTo(new BigDecimal(text)) == 0;
    } catch (NumberFormatException none) {
      return false;
    }
  }

  private static @Nullable Object parsed(String text) {
    try {
      Map<String, Object> wrapped =
          XContentHelper.convertToMap(JsonXContent.jsonXContent, "{\"v\":" + text + "}", true);
      return wrapped.get("v");
    } catch (RuntimeException none) {
      return null;
    }
  }

  private static long instant(Object json, String field, TimeUnit unit) {
    Instant instant = instant(json.toString(), field.equals("day"));
    return unit == TimeUnit.NANOSECOND
        ? instant.getEpochSecond() * NANOS + instant.getNano()
        : instant.toEpochMilli();
  }

  private static Instant instant(String text, boolean seconds) {
    if (text.matches("\\d{5,}")) {
      long number = Long.parseLong(text);
      return seconds ? Instant.ofEpochSecond(number) : Instant.ofEpochMilli(number);
    }
    if (text.matches("\\d{4}")) {
      return LocalDate.of(Integer.parseInt(text), 1, 1).atStartOfDay().toInstant(ZoneOffset.UTC);
    }
    if (text.matches("\\d{4}[-/]\\d\\d[-/]\\d\\d")) {
      return LocalDate.parse(text.replace('/', '-')).atStartOfDay().toInstant(ZoneOffset.UTC);
    }
    try {
      return OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME).toInstant();
    } catch (DateTimeParseException e) {
      throw new AssertionError("got the instant " + text + " (expected: one that is known)", e);
    }
  }
}
