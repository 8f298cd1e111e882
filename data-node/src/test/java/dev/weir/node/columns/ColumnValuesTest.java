package dev.weir.node.columns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.util.HexFormat;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.DocValueFormat;

/** The layout is what gateways read: a changed one needs another capability. */
class ColumnValuesTest {
  private static String written(ColumnValues column) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    column.writeTo(out);
    BytesRef bytes = out.bytes().toBytesRef();
    return HexFormat.of().formatHex(bytes.bytes, bytes.offset, bytes.offset + bytes.length);
  }

  @Test
  void writesRowsInTheirOrderWhateverTheOrderOfReading() throws IOException {
    ColumnValues column = new ColumnValues("n", 3);
    column.startRow(2);
    column.addLong(-1);
    column.startRow(0);
    column.addLong(300);
    column.startRow(1);
    column.addLong(2);
    assertThat(written(column)).isEqualTo("016e" + "00" + "00" + "02" + "2c01" + "0200" + "ffff");
  }

  @Test
  void writesWhichRowsHaveValues() throws IOException {
    ColumnValues some = new ColumnValues("n", 9);
    some.startRow(8);
    some.addObject(true);
    some.startRow(0);
    some.addObject(false);
    assertThat(written(some)).isEqualTo("016e" + "02" + "01" + "0101" + "01" + "00" + "01");

    ColumnValues many = new ColumnValues("n", 3);
    many.startRow(1);
    many.addObject("b");
    many.addObject("a");
    many.startRow(0);
    many.addObject("b");
    assertThat(written(many))
        .isEqualTo("016e" + "04" + "02" + "010200" + "02" + "0162" + "0161" + "01" + "000001");
  }

  @Test
  void writesNarrowDecimalsOnlyWithoutLoss() throws IOException {
    ColumnValues narrow = new ColumnValues("n", 1);
    narrow.startRow(0);
    narrow.addDouble(0.5);
    assertThat(written(narrow)).isEqualTo("016e" + "01" + "00" + "04" + "0000003f");
    ColumnValues wide = new ColumnValues("n", 1);
    wide.startRow(0);
    wide.addDouble(0.1);
    assertThat(written(wide)).isEqualTo("016e" + "01" + "00" + "08" + "9a9999999999b93f");
  }

  @Test
  void writesDatesAsTextsWhereOneIsTooFar() throws IOException {
    ColumnValues column = new ColumnValues("n", 2);
    DocValueFormat format = Format.INSTANCE;
    column.startRow(1);
    column.addDate(5, format);
    column.startRow(0);
    column.addDate(Long.MAX_VALUE, format);
    assertThat(written(column))
        .isEqualTo("016e" + "04" + "00" + "02" + "0135" + "0166" + "01" + "0100");
  }

  /** Formats a date as one character. */
  private enum Format implements DocValueFormat {
    INSTANCE;

    @Override
    public Object format(long value) {
      return value == 5 ? "5" : "f";
    }

    @Override
    public String getWriteableName() {
      return "test";
    }

    @Override
    public void writeTo(StreamOutput out) {}
  }

  @Test
  void hasOneKindOfValues() {
    ColumnValues column = new ColumnValues("n", 2);
    column.startRow(0);
    column.addObject(1L);
    assertThatThrownBy(() -> column.addObject(new BigInteger("2")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
