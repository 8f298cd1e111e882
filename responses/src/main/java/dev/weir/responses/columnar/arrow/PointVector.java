package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.BufferedBytesWriter;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import org.opensearch.core.common.bytes.BytesArray;

/** Points: their latitudes, and their longitudes. Used by one thread. */
final class PointVector extends ColumnVector {
  /** The names of the two members, in the order of the vectors. */
  static final String LATITUDE = "lat";

  static final String LONGITUDE = "lon";

  private final GeoPointReader points = new GeoPointReader();
  private final BufferedBytesWriter latitudes;
  private final BufferedBytesWriter longitudes;

  PointVector(OutputFactory outputs) {
    super(outputs);
    latitudes = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    longitudes = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
  }

  private void put(double latitude, double longitude) {
    latitudes.put(Double.doubleToRawLongBits(latitude), Double.BYTES);
    longitudes.put(Double.doubleToRawLongBits(longitude), Double.BYTES);
  }

  @Override
  void putNullPlaceholder() {
    put(0, 0);
  }

  @Override
  boolean canFit(byte[] json, int from, int to, int kind) {
    return points.read(json, from, to, kind);
  }

  @Override
  boolean putIfFits(byte[] json, int from, int to, int kinds) {
    if (!points.read(json, from, to, kinds)) {
      return false;
    }
    put(points.latitude(), points.longitude());
    return true;
  }

  @Override
  int kindsOf(int kinds) {
    return GeoPointReader.kindsOf(kinds);
  }

  @Override
  boolean acceptsLists() {
    return true;
  }

  @Override
  void appendTo(RecordBatchBody body) {
    super.appendTo(body);
    for (BufferedBytesWriter coordinates : new BufferedBytesWriter[] {latitudes, longitudes}) {
      body.addNode(length(), 0);
      body.addBuffer(BytesArray.EMPTY);
      body.addBuffer(coordinates.bytes());
    }
  }
}
