@NullMarked
package dev.weir.responses.export;

import org.jspecify.annotations.NullMarked;
