"""TLS, with the certificate library and the client of others.

usage: tls.py make FOLDER         writes certificate.pem and key.pem for localhost into FOLDER
       tls.py ask URL CERTIFICATE TOKEN   asks, trusting this certificate alone; prints {"status", "version", "body"}
"""

import datetime
import ipaddress
import json
import pathlib
import ssl
import sys
import urllib.request


def make(folder: str) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = pathlib.Path(folder)
    (path / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (path / "key.pem").write_bytes(secret)


def ask(url: str, certificate: str, token: str) -> None:
    context = ssl.create_default_context(cafile=certificate)
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, context=context, timeout=20) as answer:
        stream = answer.fp.raw._sock
        told = {"status": answer.status, "version": stream.version(), "body": json.load(answer)}
    print(json.dumps(told))


if __name__ == "__main__":
    {"make": make, "ask": ask}[sys.argv[1]](*sys.argv[2:])
