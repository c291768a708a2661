//! The range of the addresses of services.

use std::net::Ipv4Addr;

/// A range of IPv4 addresses, of which the first is that of the network and the last that of
/// broadcasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServiceRange {
    first: u32,
    bits: u32,
}

impl Default for ServiceRange {
    /// 10.0.0.0/16.
    fn default() -> Self {
        Self::new(Ipv4Addr::new(10, 0, 0, 0), 16)
    }
}

impl ServiceRange {
    /// The addresses that share their first `bits` bits with one; from /1 to /30.
    pub(crate) fn new(address: Ipv4Addr, bits: u32) -> Self {
        let bits = bits.clamp(1, 30);
        Self {
            first: address.to_bits() & !(u32::MAX >> bits),
            bits,
        }
    }

    /// Returns the first address and the length of the prefix.
    pub(crate) fn cidr(self) -> (Ipv4Addr, u32) {
        (Ipv4Addr::from_bits(self.first), self.bits)
    }

    /// Returns the number of addresses that services may have.
    pub(crate) fn count(self) -> u32 {
        (u32::MAX >> self.bits) - 1
    }

    /// Returns one of the addresses that services may have, from 0.
    pub(crate) fn address(self, number: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.first + 1 + number % self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_no_addresses_for_network_and_broadcasts() {
        let range = ServiceRange::new(Ipv4Addr::new(10, 9, 8, 7), 24);
        assert_eq!(range.cidr(), (Ipv4Addr::new(10, 9, 8, 0), 24));
        assert_eq!(range.count(), 254);
        assert_eq!(range.address(0), Ipv4Addr::new(10, 9, 8, 1));
        assert_eq!(range.address(253), Ipv4Addr::new(10, 9, 8, 254));
        assert_eq!(range.address(254), range.address(0));
    }
}
