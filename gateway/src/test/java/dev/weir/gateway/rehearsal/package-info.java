@NullMarked
package dev.weir.gateway.rehearsal;

import org.jspecify.annotations.NullMarked;
