@NullMarked
package dev.weir.gateway.export;

import org.jspecify.annotations.NullMarked;
