//! The cryptography of connections, for the WebRTC library: that of RustCrypto, so that nothing is needed but a compiler for
//! Rust.
//!
//! The library knows the protocols (DTLS, SRTP, STUN); here are the primitives that it asks for, and a certificate for each
//! connection. Peers compare the certificate with the fingerprint in the session description, which came through signalling.
//! What a peer sends is never trusted to have the right length.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aes::cipher::{BlockEncrypt, KeyInit};
use aes::{Aes128, Aes256};
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, Aes256Gcm, Nonce};
use ctr::cipher::{KeyIvInit, StreamCipher};
use hmac::{Hmac, Mac};
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePrivateKey;
use rand_core::OsRng;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use str0m::crypto::dtls::{
    DtlsCert, DtlsImplError, DtlsInstance, DtlsOutput, DtlsProvider, DtlsVersion, ProtocolVersion,
};
use str0m::crypto::{
    AeadAes128GcmCipher, AeadAes256GcmCipher, Aes128CmSha1_80Cipher, CryptoError, CryptoProvider,
    Sha1HmacProvider, Sha256Provider, SrtpProvider, SupportedAeadAes128Gcm, SupportedAeadAes256Gcm,
    SupportedAes128CmSha1_80,
};
use uuid::Uuid;
use x509_cert::builder::{Builder, CertificateBuilder, Profile};
use x509_cert::der::Encode;
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::SubjectPublicKeyInfoOwned;
use x509_cert::time::Validity;

/// How long a certificate is valid. A session is shorter.
const VALIDITY: Duration = Duration::from_secs(30 * 24 * 3600);

/// Block of the cipher, bytes.
const BLOCK: usize = 16;

/// Returns the cryptography for the library.
#[must_use]
pub fn provider() -> CryptoProvider {
    CryptoProvider {
        srtp_provider: &Primitives,
        sha1_hmac_provider: &Primitives,
        sha256_provider: &Primitives,
        dtls_provider: &Primitives,
    }
}

/// All of it.
#[derive(Debug)]
struct Primitives;

impl Sha256Provider for Primitives {
    fn sha256(&self, data: &[u8]) -> [u8; 32] {
        Sha256::digest(data).into()
    }
}

impl Sha1HmacProvider for Primitives {
    fn sha1_hmac(&self, key: &[u8], payloads: &[&[u8]]) -> [u8; 20] {
        let Ok(mut mac) = <Hmac<Sha1> as Mac>::new_from_slice(key) else {
            // A key of any length is taken.
            return [0; 20];
        };
        payloads.iter().for_each(|payload| mac.update(payload));
        mac.finalize().into_bytes().into()
    }
}

impl SrtpProvider for Primitives {
    fn aes_128_cm_sha1_80(&self) -> &'static dyn SupportedAes128CmSha1_80 {
        &Primitives
    }

    fn aead_aes_128_gcm(&self) -> &'static dyn SupportedAeadAes128Gcm {
        &Primitives
    }

    fn aead_aes_256_gcm(&self) -> &'static dyn SupportedAeadAes256Gcm {
        &Primitives
    }

    fn srtp_aes_128_ecb_round(&self, key: &[u8], input: &[u8], output: &mut [u8]) {
        if let Ok(cipher) = Aes128::new_from_slice(key) {
            ecb_round(&cipher, input, output);
        }
    }

    fn srtp_aes_256_ecb_round(&self, key: &[u8], input: &[u8], output: &mut [u8]) {
        if let Ok(cipher) = Aes256::new_from_slice(key) {
            ecb_round(&cipher, input, output);
        }
    }
}

/// Encrypts one block, and one of padding (PKCS #7) behind it, which the derivation of keys expects.
fn ecb_round<C>(cipher: &C, input: &[u8], output: &mut [u8])
where
    C: BlockEncrypt + aes::cipher::BlockSizeUser<BlockSize = aes::cipher::consts::U16>,
{
    let padding = [16; BLOCK];
    for (plain, encrypted) in [input, &padding].into_iter().zip(output.chunks_exact_mut(BLOCK)) {
        let Ok(plain) = <[u8; BLOCK]>::try_from(plain) else { return };
        let mut block = plain.into();
        cipher.encrypt_block(&mut block);
        encrypted.copy_from_slice(&block);
    }
}

/// A key of SRTP with AES in counter mode.
struct CounterMode([u8; 16]);

impl std::fmt::Debug for CounterMode {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("CounterMode")
    }
}

impl SupportedAes128CmSha1_80 for Primitives {
    fn create_cipher(&self, key: [u8; 16], _: bool) -> Box<dyn Aes128CmSha1_80Cipher> {
        Box::new(CounterMode(key))
    }
}

impl Aes128CmSha1_80Cipher for CounterMode {
    fn encrypt(&mut self, iv: &[u8; 16], input: &[u8], output: &mut [u8]) -> Result<(), CryptoError> {
        let output =
            output.get_mut(..input.len()).ok_or_else(|| wrong("the room for a packet is too small"))?;
        output.copy_from_slice(input);
        ctr::Ctr128BE::<Aes128>::new(&self.0.into(), iv.into()).apply_keystream(output);
        Ok(())
    }

    fn decrypt(&mut self, iv: &[u8; 16], input: &[u8], output: &mut [u8]) -> Result<(), CryptoError> {
        // The same stream is added.
        self.encrypt(iv, input, output)
    }
}

/// A key of SRTP with AES in Galois mode.
struct GaloisMode<C>(C);

impl<C> std::fmt::Debug for GaloisMode<C> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("GaloisMode")
    }
}

impl<C: Aead<NonceSize = aes::cipher::consts::U12>> GaloisMode<C> {
    fn seal(&self, iv: &[u8; 12], aad: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), CryptoError> {
        let payload = Payload { msg: input, aad };
        let sealed = self.0.encrypt(Nonce::from_slice(iv), payload).map_err(|_| wrong("cannot encrypt"))?;
        let output =
            output.get_mut(..sealed.len()).ok_or_else(|| wrong("the room for a packet is too small"))?;
        output.copy_from_slice(&sealed);
        Ok(())
    }

    fn open(
        &self,
        iv: &[u8; 12],
        aads: &[&[u8]],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CryptoError> {
        let aad = aads.concat();
        let payload = Payload { msg: input, aad: &aad };
        let opened =
            self.0.decrypt(Nonce::from_slice(iv), payload).map_err(|_| wrong("a packet is forged"))?;
        let output =
            output.get_mut(..opened.len()).ok_or_else(|| wrong("the room for a packet is too small"))?;
        output.copy_from_slice(&opened);
        Ok(opened.len())
    }
}

impl SupportedAeadAes128Gcm for Primitives {
    fn create_cipher(&self, key: [u8; 16], _: bool) -> Box<dyn AeadAes128GcmCipher> {
        Box::new(GaloisMode(Aes128Gcm::new(&key.into())))
    }
}

impl AeadAes128GcmCipher for GaloisMode<Aes128Gcm> {
    fn encrypt(
        &mut self,
        iv: &[u8; 12],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), CryptoError> {
        self.seal(iv, aad, input, output)
    }

    fn decrypt(
        &mut self,
        iv: &[u8; 12],
        aads: &[&[u8]],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CryptoError> {
        self.open(iv, aads, input, output)
    }
}

impl SupportedAeadAes256Gcm for Primitives {
    fn create_cipher(&self, key: [u8; 32], _: bool) -> Box<dyn AeadAes256GcmCipher> {
        Box::new(GaloisMode(Aes256Gcm::new(&key.into())))
    }
}

impl AeadAes256GcmCipher for GaloisMode<Aes256Gcm> {
    fn encrypt(
        &mut self,
        iv: &[u8; 12],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), CryptoError> {
        self.seal(iv, aad, input, output)
    }

    fn decrypt(
        &mut self,
        iv: &[u8; 12],
        aads: &[&[u8]],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CryptoError> {
        self.open(iv, aads, input, output)
    }
}

impl DtlsProvider for Primitives {
    fn generate_certificate(&self) -> Option<DtlsCert> {
        certificate().inspect_err(|error| tracing::error!("cannot make a certificate: {error}")).ok()
    }

    fn new_dtls(
        &self,
        certificate: &DtlsCert,
        now: Instant,
        version: DtlsVersion,
        mtu: Option<usize>,
    ) -> Result<Box<dyn DtlsInstance>, CryptoError> {
        // ICE has verified the address of the peer, so no cookie is asked for.
        let mut config = dimpl::Config::builder().use_server_cookie(false);
        if let Some(mtu) = mtu {
            config = config.mtu(mtu);
        }
        let config = Arc::new(config.build().map_err(|error| wrong(&error.to_string()))?);
        let certificate = certificate.clone();
        let connection = match version {
            DtlsVersion::Dtls12 => dimpl::Dtls::new_12(config, certificate, now),
            DtlsVersion::Dtls13 => dimpl::Dtls::new_13(config, certificate, now),
            _ => dimpl::Dtls::new_auto(config, certificate, now),
        };
        Ok(Box::new(Connection(connection)))
    }
}

/// Returns a certificate that is signed by itself, with a key of its own.
fn certificate() -> Result<DtlsCert, Box<dyn std::error::Error>> {
    let key = SigningKey::random(&mut OsRng);
    // Browsers require that no two are the same. The first bit would make it negative.
    let mut serial = Uuid::new_v4().into_bytes();
    serial[0] = serial[0] & 0x7f | 0x40;
    let name: Name = "CN=minismith-webrtc".parse()?;
    let profile =
        Profile::Leaf { issuer: name.clone(), enable_key_agreement: false, enable_key_encipherment: false };
    let builder = CertificateBuilder::new(
        profile,
        SerialNumber::new(&serial)?,
        Validity::from_now(VALIDITY)?,
        name,
        SubjectPublicKeyInfoOwned::from_key(*key.verifying_key())?,
        &key,
    )?;
    let certificate = builder.build::<DerSignature>()?.to_der()?;
    Ok(DtlsCert { certificate, private_key: key.to_pkcs8_der()?.as_bytes().to_vec() })
}

/// An encrypted connection.
struct Connection(dimpl::Dtls);

impl std::fmt::Debug for Connection {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Connection")
    }
}

impl DtlsInstance for Connection {
    fn set_active(&mut self, active: bool) {
        self.0.set_active(active);
    }

    fn handle_packet(&mut self, packet: &[u8]) -> Result<(), DtlsImplError> {
        self.0.handle_packet(packet)
    }

    fn poll_output<'a>(&mut self, buffer: &'a mut [u8]) -> DtlsOutput<'a> {
        self.0.poll_output(buffer)
    }

    fn handle_timeout(&mut self, now: Instant) -> Result<(), DtlsImplError> {
        self.0.handle_timeout(now)
    }

    fn send_application_data(&mut self, data: &[u8]) -> Result<(), DtlsImplError> {
        self.0.send_application_data(data)
    }

    fn is_active(&self) -> bool {
        self.0.is_active()
    }

    fn protocol_version(&self) -> Option<ProtocolVersion> {
        self.0.protocol_version()
    }

    fn is_closing(&self) -> bool {
        self.0.is_closing()
    }

    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    fn close(&mut self) -> Result<(), DtlsImplError> {
        self.0.close()
    }
}

fn wrong(what: &str) -> CryptoError {
    CryptoError::Other(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn digests_are_those_of_their_standards() {
        assert_eq!(
            Primitives.sha256(b"abc").to_vec(),
            bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        );
        // RFC 2202, second case.
        assert_eq!(
            Primitives.sha1_hmac(b"Jefe", &[b"what do ya want ", b"for nothing?"]).to_vec(),
            bytes("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        );
    }

    #[test]
    fn counter_mode_is_that_of_srtp() {
        // RFC 3711, appendix B.2.
        let key: [u8; 16] = bytes("2b7e151628aed2a6abf7158809cf4f3c").try_into().unwrap();
        let iv: [u8; 16] = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfd0000").try_into().unwrap();
        let mut stream = [0; 32];
        let mut cipher = SupportedAes128CmSha1_80::create_cipher(&Primitives, key, true);
        cipher.encrypt(&iv, &[0; 32], &mut stream).unwrap();
        assert_eq!(
            stream.to_vec(),
            bytes("e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab")
        );
        assert!(cipher.encrypt(&iv, &[0; 33], &mut stream).is_err());
    }

    #[test]
    fn blocks_are_those_of_the_standard() {
        // FIPS 197, appendix C.
        let input = bytes("00112233445566778899aabbccddeeff");
        let mut output = [0; 32];
        Primitives.srtp_aes_128_ecb_round(&bytes("000102030405060708090a0b0c0d0e0f"), &input, &mut output);
        assert_eq!(output[..16].to_vec(), bytes("69c4e0d86a7b0430d8cdb78070b4c55a"));
        let key = bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
        Primitives.srtp_aes_256_ecb_round(&key, &input, &mut output);
        assert_eq!(output[..16].to_vec(), bytes("8ea2b7ca516745bfeafc49904b496089"));
    }

    #[test]
    fn galois_mode_opens_what_it_sealed_and_nothing_else() {
        let mut cipher = SupportedAeadAes128Gcm::create_cipher(&Primitives, [7; 16], true);
        let (mut sealed, mut opened) = ([0; 21], [0; 5]);
        cipher.encrypt(&[1; 12], b"head of packet", b"hello", &mut sealed).unwrap();
        assert_eq!(cipher.decrypt(&[1; 12], &[b"head ", b"of packet"], &sealed, &mut opened).unwrap(), 5);
        assert_eq!(&opened, b"hello");
        for forged in [&sealed[..20], &sealed[..3], b""] {
            assert!(cipher.decrypt(&[1; 12], &[b"head of packet"], forged, &mut opened).is_err());
        }
        assert!(cipher.decrypt(&[1; 12], &[b"other"], &sealed, &mut opened).is_err());
        let mut wide = SupportedAeadAes256Gcm::create_cipher(&Primitives, [7; 32], true);
        wide.encrypt(&[1; 12], b"head of packet", b"hello", &mut sealed).unwrap();
        assert!(cipher.decrypt(&[1; 12], &[b"head of packet"], &sealed, &mut opened).is_err());
        assert_eq!(wide.decrypt(&[1; 12], &[b"head of packet"], &sealed, &mut opened).unwrap(), 5);
    }

    #[test]
    fn certificates_differ() {
        let [one, other] = [certificate().unwrap(), certificate().unwrap()];
        assert_ne!(one.certificate, other.certificate);
        assert_ne!(one.private_key, other.private_key);
    }
}
