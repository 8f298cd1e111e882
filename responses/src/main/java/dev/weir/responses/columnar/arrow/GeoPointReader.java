package dev.weir.responses.columnar.arrow;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.ValueKinds;

/**
 * Reads one point in the notations of documents and of {@code fields}: an object with {@code lat}
 * and {@code lon}, GeoJSON, a list of longitude and latitude, or a text of latitude and longitude.
 * Geohashes and WKT are no points here. Used by one thread. The notations are those of OpenSearch's
 * {@code GeoUtils.parseGeoPoint}.
 */
final class GeoPointReader {
  private static final int NUMBERS = ValueKinds.INTEGER | ValueKinds.DECIMAL;

  private final JsonCursor cursor = new JsonCursor();
  private final JsonBuffer text = new JsonBuffer(32);
  private double latitude;
  private double longitude;

  /** Returns the last point's latitude. */
  double latitude() {
    return latitude;
  }

  /** Returns the last point's longitude. */
  double longitude() {
    return longitude;
  }

  /** Returns the kinds of a value: a list of numbers is one point, not a list of points. */
  static int kindsOf(int kinds) {
    return ValueKinds.hasAny(kinds, NUMBERS)
            && ValueKinds.hasAny(kinds, ValueKinds.LIST)
            && ValueKinds.hasOnly(kinds, NUMBERS | ValueKinds.LIST)
        ? ValueKinds.OBJECT
        : kinds;
  }

  /** Reads a value; returns false if it is no point. */
  boolean read(byte[] json, int from, int to, int kind) {
    if (kind == ValueKinds.STRING) {
      return readText(json, from, to);
    }
    cursor.reset(json, from, to);
    return switch (cursor.peek()) {
      case '[' -> readCoordinates();
      case '{' -> readObject();
      default -> false;
    };
  }

  private boolean readText(byte[] json, int from, int to) {
    text.clear();
    text.writeUnquoted(json, from, to);
    String[] parts = text.toString().split(",", -1);
    if (parts.length != 2) {
      return false;
    }
    latitude = parse(parts[0].trim());
    longitude = parse(parts[1].trim());
    return isPoint();
  }

  private boolean isPoint() {
    return Double.isFinite(latitude) && Double.isFinite(longitude);
  }

  /** Reads a list of longitude and latitude. */
  private boolean readCoordinates() {
    cursor.expect('[');
    longitude = readNumber();
    cursor.takeComma();
    latitude = readNumber();
    cursor.takeComma();
    return isPoint() && cursor.peek() == ']';
  }

  /** Reads a number, or a text that is one; NaN for anything else, which it may leave unread. */
  private double readNumber() {
    int next = cursor.peek();
    if (next == ']' || next == '}') {
      return Double.NaN;
    }
    int kind = cursor.skip();
    text.clear();
    if (kind == ValueKinds.STRING) {
      text.writeUnquoted(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
    } else if (ValueKinds.hasAny(kind, NUMBERS)) {
      text.write(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd() - cursor.tokenStart());
    }
    return parse(text.toString());
  }

  private static double parse(String number) {
    for (int i = 0; i < number.length(); i++) {
      char c = number.charAt(i);
      if ((c < '0' || c > '9') && "+-.eE".indexOf(c) < 0) {
        return Double.NaN; // Java accepts more
      }
    }
    try {
      return Double.parseDouble(number);
    } catch (NumberFormatException none) {
      return Double.NaN;
    }
  }

  private boolean readObject() {
    latitude = Double.NaN;
    longitude = Double.NaN;
    boolean hasType = false;
    boolean hasCoordinates = false;
    int members = 0;
    cursor.expect('{');
    while (cursor.peek() != '}') {
      cursor.readKey();
      text.clear();
      text.writeUnquoted(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
      switch (text.toString()) {
        case PointVector.LATITUDE -> latitude = readNumber();
        case PointVector.LONGITUDE -> longitude = readNumber();
        case "type" -> {
          cursor.skip();
          text.clear();
          text.write(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd() - cursor.tokenStart());
          if (!text.toString().equalsIgnoreCase("\"point\"")) {
            return false;
          }
          hasType = true;
        }
        case "coordinates" -> {
          if (cursor.peek() != '[' || !readCoordinates()) {
            return false;
          }
          cursor.expect(']');
          hasCoordinates = true;
        }
        default -> {
          return false;
        }
      }
      members++;
      cursor.takeComma();
    }
    return members == 2 && isPoint() && hasType == hasCoordinates;
  }
}
