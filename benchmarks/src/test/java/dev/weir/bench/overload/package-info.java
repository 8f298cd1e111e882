@org.jspecify.annotations.NullMarked
package dev.weir.bench.overload;
